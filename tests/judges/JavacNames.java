import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.*;

/**
 * What the Java compiler makes of the names in source files, for tests/judges/java_classes.py.
 *
 * Arguments: a file with the options for javac, one a line; a file with the sources, one a line. Nothing is written but
 * standard output; errors in the sources are the compiler's to live with. Prints, divided by tabs:
 *
 * use   SOURCE-CLASS TARGET-CLASS WHY   top-level classes. The source names the target as an import, a constant, an
 *       annotation for the compiler alone or (`unread`) for tools, a type, or a member (that it may inherit); or it does not, but an expression, or the header of what
 *       it calls, has the type (`header`), or the compiler puts it there for a construct of the language (`made`)
 * call  FILE LINE CLASS METHOD PARAMETERS   the method that a call, `this(...)` or `super(...)` means, or that a loop
 *       or a `try` calls without a name
 */
public class JavacNames extends TreePathScanner<Void, Void> {
    private static final String[] LAMBDA = {
        "java.lang.invoke.CallSite", "java.lang.invoke.LambdaMetafactory", "java.lang.invoke.MethodHandle",
        "java.lang.invoke.MethodHandles", "java.lang.invoke.MethodType", "java.util.Objects"};
    private static final String[] CONCATENATION = {
        "java.lang.StringBuilder", "java.lang.invoke.StringConcatFactory", "java.lang.invoke.CallSite",
        "java.lang.invoke.MethodHandles", "java.lang.invoke.MethodType"};
    private static final String[] RECORD = {
        "java.lang.Record", "java.lang.runtime.ObjectMethods", "java.lang.invoke.CallSite", "java.lang.String",
        "java.lang.invoke.MethodHandle", "java.lang.invoke.MethodHandles", "java.lang.invoke.MethodType",
        "java.lang.invoke.TypeDescriptor", "java.lang.Class"};
    private static final String[] SWITCH = {
        "java.lang.NoSuchFieldError", "java.lang.MatchException", "java.lang.runtime.SwitchBootstraps",
        "java.lang.invoke.CallSite", "java.lang.invoke.MethodHandles", "java.lang.invoke.MethodType",
        "java.lang.Throwable", "java.lang.Integer", "java.util.Objects", "java.lang.IncompatibleClassChangeError"};

    private final Trees trees;
    private final Types types;
    private final Elements elements;
    private final PrintWriter out;
    private final Set<String> seen = new HashSet<>();
    private CompilationUnitTree unit;

    JavacNames(Trees trees, Types types, Elements elements, PrintWriter out) {
        this.trees = trees;
        this.types = types;
        this.elements = elements;
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
            var scanner = new JavacNames(Trees.instance(task), task.getTypes(), task.getElements(), out);
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
        made(LAMBDA);
        return super.visitMemberReference(tree, none);
    }

    @Override
    public Void scan(Tree tree, Void none) {
        if (tree instanceof ExpressionTree || tree instanceof VariableTree) {
            var path = new TreePath(getCurrentPath(), tree);
            type(trees.getTypeMirror(path), "header");
            if (trees.getElement(path) instanceof ExecutableElement method) {
                type(method.getReturnType(), "header");
                type(method.getEnclosingElement().asType(), "header");
                method.getParameters().forEach(parameter -> type(parameter.asType(), "header"));
            } else if (trees.getElement(path) instanceof VariableElement field) {
                type(field.asType(), "header");
            }
        }
        return super.scan(tree, none);
    }

    @Override
    public Void visitClass(ClassTree tree, Void none) {
        made("java.lang.Object");
        if (tree.getKind() == Tree.Kind.RECORD) {
            made(RECORD);
        } else if (tree.getKind() == Tree.Kind.ENUM) {
            made("java.lang.Enum", "java.lang.String", "java.lang.Class");
        } else if (tree.getKind() == Tree.Kind.ANNOTATION_TYPE) {
            made("java.lang.annotation.Annotation");
        }
        return super.visitClass(tree, none);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void none) {
        if (trees.getElement(getCurrentPath()) instanceof ExecutableElement method) {
            bridged(method, method.getEnclosingElement().asType());
        }
        return super.visitMethod(tree, none);
    }

    /** The headers of the methods that a method may override: the compiler makes others that have them. */
    private void bridged(ExecutableElement method, TypeMirror below) {
        for (var above : types.directSupertypes(below)) {
            for (var member : ((DeclaredType) above).asElement().getEnclosedElements()) {
                if (member instanceof ExecutableElement other && other.getSimpleName().equals(method.getSimpleName())
                    && other.getParameters().size() == method.getParameters().size()) {
                    type(other.getReturnType(), "made");
                    other.getParameters().forEach(parameter -> type(parameter.asType(), "made"));
                }
            }
            bridged(method, above);
        }
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree tree, Void none) {
        made(LAMBDA);
        return super.visitLambdaExpression(tree, none);
    }

    @Override
    public Void visitNewClass(NewClassTree tree, Void none) {
        if (tree.getEnclosingExpression() != null) {
            made("java.util.Objects");
        }
        boxed(trees.getElement(getCurrentPath()), tree.getArguments());
        return super.visitNewClass(tree, none);
    }

    @Override
    public Void visitBinary(BinaryTree tree, Void none) {
        if (tree.getKind() == Tree.Kind.PLUS) {
            concatenation();
        }
        return super.visitBinary(tree, none);
    }

    @Override
    public Void visitCompoundAssignment(CompoundAssignmentTree tree, Void none) {
        concatenation();
        return super.visitCompoundAssignment(tree, none);
    }

    @Override
    public Void visitAssert(AssertTree tree, Void none) {
        made("java.lang.AssertionError", "java.lang.Class");
        return super.visitAssert(tree, none);
    }

    @Override
    public Void visitEnhancedForLoop(EnhancedForLoopTree tree, Void none) {
        made("java.util.Iterator", "java.lang.Iterable");
        implied(tree.getExpression(), "iterator");
        return super.visitEnhancedForLoop(tree, none);
    }

    @Override
    public Void visitSwitch(SwitchTree tree, Void none) {
        made(SWITCH);
        return super.visitSwitch(tree, none);
    }

    @Override
    public Void visitSwitchExpression(SwitchExpressionTree tree, Void none) {
        made(SWITCH);
        return super.visitSwitchExpression(tree, none);
    }

    @Override
    public Void visitTry(TryTree tree, Void none) {
        made("java.lang.Throwable");
        tree.getResources().forEach(resource -> implied(resource, "close"));
        return super.visitTry(tree, none);
    }

    @Override
    public Void visitSynchronized(SynchronizedTree tree, Void none) {
        made("java.lang.Throwable");
        return super.visitSynchronized(tree, none);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree tree, Void none) {
        var select = tree.getMethodSelect();
        var element = trees.getElement(new TreePath(getCurrentPath(), select));
        if (element instanceof ExecutableElement method) {
            call(method, trees.getSourcePositions().getEndPosition(unit, select) - 1);
        }
        boxed(element, tree.getArguments());
        return super.visitMethodInvocation(tree, none);
    }

    /** Print that a method is called at that position; negative = nobody wrote it. */
    private void call(ExecutableElement method, long position) {
        if (position >= 0 && method.getEnclosingElement() instanceof TypeElement owner) {
            out.println(String.join("\t", "call", unit.getSourceFile().getName(),
                Long.toString(unit.getLineMap().getLineNumber(position)), name(owner),
                method.getSimpleName().toString(), Integer.toString(method.getParameters().size())));
        }
    }

    /** The method without parameters that a loop or a `try` calls on what `tree` is (JLS 14.14.2, 14.20.3.1). */
    private void implied(Tree tree, String name) {
        var type = trees.getTypeMirror(new TreePath(getCurrentPath(), tree));
        if (type == null || !(types.erasure(type) instanceof DeclaredType declared)) {
            return;
        }
        ExecutableElement found = null;
        for (var member : elements.getAllMembers((TypeElement) declared.asElement())) {
            if (member instanceof ExecutableElement method && method.getSimpleName().contentEquals(name)
                && method.getParameters().isEmpty() && (found == null || isBelow(method, found))) {
                found = method;
            }
        }
        if (found != null) {
            var positions = trees.getSourcePositions();
            call(found, tree instanceof VariableTree ? positions.getStartPosition(unit, tree)
                : positions.getEndPosition(unit, tree) - 1);
            use(name(top(found)), "member");
        }
    }

    private boolean isBelow(Element method, Element other) {
        return types.isSubtype(types.erasure(method.getEnclosingElement().asType()),
            types.erasure(other.getEnclosingElement().asType()));
    }

    private void concatenation() {
        if (String.valueOf(trees.getTypeMirror(getCurrentPath())).equals("java.lang.String")) {
            made(CONCATENATION);
        }
    }

    /** The classes of primitive values that are given for parameters of other types. */
    private void boxed(Element method, List<? extends ExpressionTree> arguments) {
        if (!(method instanceof ExecutableElement called)) {
            return;
        }
        var parameters = called.getParameters();
        for (int i = 0; i < arguments.size() && !parameters.isEmpty(); i++) {
            var type = trees.getTypeMirror(new TreePath(getCurrentPath(), arguments.get(i)));
            var wanted = parameters.get(Math.min(i, parameters.size() - 1)).asType();
            if (type instanceof PrimitiveType primitive && !wanted.getKind().isPrimitive()) {
                made(types.boxedClass(primitive).getQualifiedName().toString());
            }
        }
    }

    /** Note that the class around uses a type, or what is left of it when type arguments are erased. */
    private void type(TypeMirror type, String why) {
        while (type instanceof ArrayType array) {
            type = array.getComponentType();
        }
        if (type instanceof DeclaredType || type instanceof TypeVariable) {
            if (types.erasure(type) instanceof DeclaredType declared) {
                use(name(top(declared.asElement())), why);
            }
        }
    }

    private void made(String... targets) {
        for (var target : targets) {
            use(target, "made");
        }
    }

    private void note() {
        var target = trees.getElement(getCurrentPath());
        if (target == null || target.getKind() == ElementKind.PACKAGE || target.getKind() == ElementKind.MODULE) {
            return;
        }
        var type = top(target);
        var why = isConstant(target) || isBeforeConstant() ? "constant"
            : target instanceof TypeElement ? "type" : "member";
        for (var path = getCurrentPath(); path != null; path = path.getParentPath()) {
            if (path.getLeaf() instanceof ImportTree) {
                why = "import";
            } else if (path.getLeaf() instanceof AnnotationTree around) {
                why = retained(trees.getElement(new TreePath(path, around.getAnnotationType())), why);
            }
        }
        if (type != null) {
            use(name(type), why);
        }
    }

    /** Why what stands in an annotation is seen, by how long that is kept (JLS 9.6.4.2); at run time: as elsewhere. */
    private static String retained(Element annotation, String why) {
        var declared = annotation == null ? null : annotation.getAnnotation(Retention.class);
        var kept = declared == null ? RetentionPolicy.CLASS : declared.value();
        return kept == RetentionPolicy.SOURCE ? "annotation" : kept == RetentionPolicy.CLASS ? "unread" : why;
    }

    private static boolean isConstant(Element element) {
        return element instanceof VariableElement field && field.getConstantValue() != null;
    }

    /** Whether what is named here is the T of T.C, with a constant C. */
    private boolean isBeforeConstant() {
        var around = getCurrentPath().getParentPath();
        return around != null && around.getLeaf() instanceof MemberSelectTree select
            && select.getExpression() == getCurrentPath().getLeaf() && isConstant(trees.getElement(around));
    }

    /** Print that the top-level class around uses another. */
    private void use(String target, String why) {
        String source = null;
        for (var path = getCurrentPath(); path != null; path = path.getParentPath()) {
            if (path.getLeaf() instanceof ClassTree && trees.getElement(path) instanceof TypeElement around) {
                source = name(top(around));
            }
        }
        if (source == null) {
            var file = Path.of(unit.getSourceFile().getName()).getFileName().toString().replace(".java", "");
            source = unit.getPackageName() == null ? file : unit.getPackageName() + "." + file;
        }
        if (!target.equals(source)) {
            var line = String.join("\t", "use", source, target, why);
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
