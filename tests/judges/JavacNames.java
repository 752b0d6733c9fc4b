import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * What the Java compiler makes of the names in source files, for tests/judges/java_classes.py.
 *
 * Arguments: a file with the options for javac, one a line; a file with the sources, one a line. Nothing is written but
 * standard output; errors in the sources are the compiler's to live with. Prints, divided by tabs:
 *
 * use   SOURCE-CLASS TARGET-CLASS WHY   top-level classes; WHY is import, constant, type, or member
 * call  FILE LINE CLASS METHOD PARAMETERS   the method that a call, `this(...)` or `super(...)` means
 */
public class JavacNames extends TreePathScanner<Void, Void> {
    private final Trees trees;
    private final PrintWriter out;
    private final Set<String> seen = new HashSet<>();
    private CompilationUnitTree unit;

    JavacNames(Trees trees, PrintWriter out) {
        this.trees = trees;
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        var options = Files.readAllLines(Path.of(arguments[0]));
        var sources = Files.readAllLines(Path.of(arguments[1]));
        var compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        var files = manager.getJavaFileObjectsFromStrings(sources);
        var task = (JavacTask) compiler.getTask(Writer.nullWriter(), manager, problem -> {}, options, null, files);
        var units = task.parse();
        task.analyze();
        try (var out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
            var scanner = new JavacNames(Trees.instance(task), out);
            for (var unit : units) {
                scanner.unit = unit;
                scanner.scan(unit, null);
            }
        }
    }

    @Override
    public Void visitIdentifier(IdentifierTree tree, Void none) {
        note();
        return super.visitIdentifier(tree, none);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree tree, Void none) {
        note();
        return super.visitMemberSelect(tree, none);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void none) {
        note();
        return super.visitMemberReference(tree, none);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree tree, Void none) {
        var select = tree.getMethodSelect();
        var element = trees.getElement(new TreePath(getCurrentPath(), select));
        if (element instanceof ExecutableElement method && method.getEnclosingElement() instanceof TypeElement owner) {
            var position = trees.getSourcePositions().getEndPosition(unit, select);
            if (position >= 0) {
                out.println(String.join("\t", "call", unit.getSourceFile().getName(),
                    Long.toString(unit.getLineMap().getLineNumber(position - 1)), name(owner),
                    method.getSimpleName().toString(), Integer.toString(method.getParameters().size())));
            }
        }
        return super.visitMethodInvocation(tree, none);
    }

    private void note() {
        var target = trees.getElement(getCurrentPath());
        if (target == null || target.getKind() == ElementKind.PACKAGE || target.getKind() == ElementKind.MODULE) {
            return;
        }
        var type = top(target);
        var why = target instanceof VariableElement field && field.getConstantValue() != null ? "constant"
            : target instanceof TypeElement ? "type" : "member";
        String source = null;
        for (var path = getCurrentPath(); path != null; path = path.getParentPath()) {
            if (path.getLeaf() instanceof ImportTree) {
                why = "import";
            }
            if (path.getLeaf() instanceof ClassTree && trees.getElement(path) instanceof TypeElement around) {
                source = name(top(around));
            }
        }
        if (source == null) {
            var file = Path.of(unit.getSourceFile().getName()).getFileName().toString().replace(".java", "");
            source = unit.getPackageName() == null ? file : unit.getPackageName() + "." + file;
        }
        if (type != null && !name(type).equals(source)) {
            var line = String.join("\t", "use", source, name(type), why);
            if (seen.add(line)) {
                out.println(line);
            }
        }
    }

    private static TypeElement top(Element element) {
        TypeElement found = null;
        for (var at = element; at != null; at = at.getEnclosingElement()) {
            if (at instanceof TypeElement type) {
                found = type;
            }
        }
        return found;
    }

    private static String name(TypeElement type) {
        return type.getNestingKind() == NestingKind.LOCAL || type.getNestingKind() == NestingKind.ANONYMOUS
            ? name(top(type)) + "." + type.getSimpleName()
            : type.getQualifiedName().toString();
    }
}
