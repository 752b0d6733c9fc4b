package p;

public interface Face {
    default String name() {
        return helper();
    }

    private String helper() {
        return "";
    }

    static Face none() {
        return null;
    }

    default void only() {
    }
}
