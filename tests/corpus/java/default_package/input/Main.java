/* import nothing.Here; */
import /* odd */ lib . Tool
    ;
import lib.Tool; ; // twice

class Main {
    String text = """
        import lib.Other;
        class Fake { void run() { new Other(); } }
        \""" still text
        """;

    void main() {
        new \u0048elper().help();
        String s = "new Other()"; // new Other()
        char c = '\u0041';
    }
}
