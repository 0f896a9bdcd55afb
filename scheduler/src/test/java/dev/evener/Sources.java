package dev.evener;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Java files as texts, parsed and not compiled: what they name counts, whatever the compiler leaves of it in a class file ({@code permits},
 * constants, bounds), and what only Javadoc names does not.
 */
final class Sources {
    /** A top-level type's file. */
    static final class Source {
        final Path path;
        final String pkg;
        final String type;
        private final Map<String, String> imports = new HashMap<>();
        private final Set<String> names = new HashSet<>();
        private final Set<String> qualified = new HashSet<>();
        /** Names joined by two dots or more, each as often as it stands there: {@code run.plan.lanes}. */
        final List<String> reaches = new ArrayList<>();
        /** Lines from a method's first to its last, by its name. */
        final Map<String, Integer> methods = new TreeMap<>();

        Source(Path path, String pkg) {
            this.path = path;
            this.pkg = pkg;
            this.type = path.getFileName().toString().replaceFirst("\\.java$", "");
        }

        String name() {
            return pkg + "." + type;
        }
    }

    private final Map<String, Source> byName = new TreeMap<>();

    /** All Java files below some folders, but descriptors of modules and packages. */
    Sources(Path... folders) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path folder : folders) {
            try (Stream<Path> all = Files.walk(folder)) {
                all.filter(p -> p.toString().endsWith(".java") && !p.toString().endsWith("-info.java"))
                        .forEach(files::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                Source source =
                        new Source(Path.of(unit.getSourceFile().toUri()), String.valueOf(unit.getPackageName()));
                byName.put(source.name(), source);
                unit.accept(new Reader(source, unit, positions), null);
            }
        }
    }

    List<Source> all() {
        return List.copyOf(byName.values());
    }

    /** Those files, of these folders, whose types the source names, without its own. */
    Set<Source> usedBy(Source source) {
        Set<String> used = new TreeSet<>(source.qualified);
        for (String name : source.names) {
            used.add(source.imports.getOrDefault(name, source.pkg + "." + name));
        }
        Set<Source> found = new HashSet<>();
        used.forEach(name -> found.add(byName.get(name)));
        found.remove(null);
        found.remove(source);
        return found;
    }

    private static final class Reader extends TreeScanner<Void, Void> {
        private final Source source;
        private final CompilationUnitTree unit;
        private final SourcePositions positions;

        Reader(Source source, CompilationUnitTree unit, SourcePositions positions) {
            this.source = source;
            this.unit = unit;
            this.positions = positions;
        }

        @Override
        public Void visitPackage(PackageTree node, Void nothing) {
            return null;
        }

        @Override
        public Void visitImport(ImportTree node, Void nothing) {
            String name = node.getQualifiedIdentifier().toString();
            String type = name.replaceFirst("^((?:[a-z]\\w*\\.)+[A-Z]\\w*).*", "$1");
            source.imports.put(name.replaceFirst(".*\\.", ""), type); // a nested type's or a static member's own name
            return null;
        }

        @Override
        public Void visitIdentifier(IdentifierTree node, Void nothing) {
            source.names.add(node.getName().toString());
            return null;
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree node, Void nothing) {
            if (node.toString().matches("dev\\.evener\\.(?:[a-z]\\w*\\.)*[A-Z]\\w*")) {
                source.qualified.add(node.toString());
            }
            String reach = value(node);
            if (reach != null && reach.indexOf('.') != reach.lastIndexOf('.')) {
                source.reaches.add(reach);
                return null; // a.b.c.d is one
            }
            return super.visitMemberSelect(node, null);
        }

        /** The names of a value in a value in a value; null for what a method returns, for types, packages and the length of an array. */
        private static String value(ExpressionTree node) {
            if (node instanceof IdentifierTree name) {
                return name.getName().toString().matches("[a-z]\\w*")
                        ? name.getName().toString()
                        : null;
            }
            if (!(node instanceof MemberSelectTree select)
                    || !select.getIdentifier().toString().matches("[a-z]\\w*")
                    || select.getIdentifier().contentEquals("length")
                    || select.getIdentifier().contentEquals("class")) {
                return null;
            }
            if (select.getExpression() instanceof IdentifierTree name
                    && name.getName().contentEquals("this")) {
                return select.getIdentifier().toString();
            }
            String root = value(select.getExpression());
            return root == null || root.matches("java|javax|dev|org|com") ? null : root + "." + select.getIdentifier();
        }

        @Override
        public Void visitMethod(MethodTree node, Void nothing) {
            LineMap lines = unit.getLineMap();
            long begin = positions.getStartPosition(unit, node);
            long end = positions.getEndPosition(unit, node);
            if (begin >= 0 && end >= 0) {
                int length = (int) (lines.getLineNumber(end) - lines.getLineNumber(begin) + 1);
                source.methods.merge(node.getName().toString(), length, Math::max);
            }
            return super.visitMethod(node, null);
        }
    }
}
