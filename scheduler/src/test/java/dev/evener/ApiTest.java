package dev.evener;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.PolicyProvider;
import java.io.File;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/api.md lists what embedders see: all of it, and nothing internal. */
class ApiTest {
    private static final int MOST_TYPES = 42;
    private static final int COLUMNS = 178;
    private static final URL CLASSES =
            Evener.class.getProtectionDomain().getCodeSource().getLocation();

    @Test
    void theListingIsWhatTheCodeHas() throws Exception {
        String listing = listing();
        String doc = Files.readString(Path.of("..", "docs", "api.md"));
        String shown = doc.substring(doc.indexOf("```\n") + 4, doc.lastIndexOf("```"));
        assertEquals(listing, shown, () -> "docs/api.md should have between its fences:\n" + listing);
    }

    @Test
    void thereAreFewTypesAndNoneIsInternal() throws Exception {
        List<Class<?>> all = types();
        long outermost = all.stream().filter(t -> t.getEnclosingClass() == null).count();
        assertTrue(outermost <= MOST_TYPES, outermost + " public types");
        assertFalse(listing().contains("internal"), listing());
        for (Class<?> type : all) {
            members(type)
                    .flatMap(m -> Stream.concat(
                            Arrays.stream(m.getGenericParameterTypes()),
                            m instanceof Method method ? Stream.of(method.getGenericReturnType()) : Stream.of()))
                    .forEach(t -> assertFalse(t.getTypeName().contains(".internal."), type + ": " + t));
        }
    }

    /** Those in packages that are exported to everybody, by name, nested ones behind their own. */
    private static List<Class<?>> types() throws Exception {
        Set<String> exported = new TreeSet<>();
        try (InputStream in = new URL(CLASSES, "module-info.class").openStream()) {
            ModuleDescriptor.read(in).exports().stream()
                    .filter(e -> !e.isQualified())
                    .forEach(e -> exported.add(e.source()));
        }
        List<Class<?>> types = new ArrayList<>();
        Path root = Path.of(CLASSES.toURI());
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(f -> f.toString().endsWith(".class")).toList();
        }
        for (Path file : files) {
            String name = root.relativize(file).toString().replace(File.separatorChar, '.');
            name = name.substring(0, name.length() - ".class".length());
            if (exported.contains(name.substring(0, Math.max(0, name.lastIndexOf('.'))))) {
                Class<?> type = Class.forName(name);
                boolean seen = Modifier.isPublic(type.getModifiers());
                for (Class<?> c = type.getEnclosingClass(); c != null; c = c.getEnclosingClass()) {
                    seen &= Modifier.isPublic(c.getModifiers());
                }
                boolean service = PolicyProvider.class.isAssignableFrom(type) && type != PolicyProvider.class;
                if (seen && !service && !type.isAnonymousClass()) { // providers are public for ServiceLoader alone
                    types.add(type);
                }
            }
        }
        types.sort(Comparator.comparing((Class<?> t) -> t.getPackageName()).thenComparing(Class::getName));
        return types;
    }

    private static String listing() throws Exception {
        StringBuilder text = new StringBuilder();
        String pkg = "";
        for (Class<?> type : types()) {
            if (!type.getPackageName().equals(pkg)) {
                text.append(pkg.isEmpty() ? "" : "\n")
                        .append("package ")
                        .append(type.getPackageName())
                        .append('\n');
                pkg = type.getPackageName();
            }
            List<String> words = new ArrayList<>();
            if (type.isEnum()) {
                Arrays.stream(type.getEnumConstants()).forEach(c -> words.add(c.toString()));
            }
            Stream.of(type.getDeclaredFields())
                    .filter(f -> Modifier.isPublic(f.getModifiers()) && !f.isEnumConstant() && !f.isSynthetic())
                    .map(Field::getName)
                    .sorted()
                    .forEach(words::add);
            members(type).map(ApiTest::text).sorted().distinct().forEach(words::add);
            text.append(wrapped(head(type) + (words.isEmpty() ? "" : ": ") + String.join(", ", words)));
        }
        return text.toString();
    }

    private static String head(Class<?> type) {
        String name = name(type);
        if (type.isRecord()) {
            return "record " + name
                    + Arrays.stream(type.getRecordComponents())
                            .map(c -> name(c.getGenericType()) + " " + c.getName())
                            .collect(joining(", ", "(", ")"));
        }
        return (type.isEnum() ? "enum " : type.isInterface() ? "interface " : "class ") + name;
    }

    /** Public methods and constructors that are not plain to every record, enum or object. */
    private static Stream<Executable> members(Class<?> type) {
        Set<String> plain = new TreeSet<>(List.of("equals", "hashCode", "toString"));
        if (type.isRecord()) {
            Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getName)
                    .forEach(plain::add);
        }
        if (type.isEnum()) {
            plain.addAll(List.of("values", "valueOf"));
        }
        Stream<Executable> constructors = Arrays.stream(type.getDeclaredConstructors());
        int components = type.isRecord() ? type.getRecordComponents().length : -1;
        return Stream.concat(
                        constructors.filter(c -> c.getParameterCount() != components),
                        Arrays.stream(type.getDeclaredMethods())
                                .filter(m ->
                                        !plain.contains(m.getName()) || (type.isRecord() && m.getParameterCount() > 0))
                                .filter(m -> !m.getName().equals("equals")))
                .filter(m -> Modifier.isPublic(m.getModifiers()) && !m.isSynthetic());
    }

    private static String text(Executable member) {
        String parameters = Arrays.stream(member.getGenericParameterTypes())
                .map(ApiTest::name)
                .collect(joining(", ", "(", ")"));
        if (!(member instanceof Method method)) {
            return "new" + parameters;
        }
        Type returned = method.getGenericReturnType();
        boolean said = returned == void.class || returned == method.getDeclaringClass();
        return (Modifier.isStatic(method.getModifiers()) ? "static " : "")
                + method.getName()
                + parameters
                + (said ? "" : " " + name(returned));
    }

    /** Without packages. */
    private static String name(Type type) {
        if (type instanceof Class<?> c) {
            return c.isArray()
                    ? name(c.getComponentType()) + "[]"
                    : (c.getEnclosingClass() == null ? "" : name(c.getEnclosingClass()) + ".") + c.getSimpleName();
        }
        if (type instanceof ParameterizedType p) {
            return name(p.getRawType())
                    + Arrays.stream(p.getActualTypeArguments())
                            .map(ApiTest::name)
                            .collect(joining(", ", "<", ">"));
        }
        if (type instanceof WildcardType w) {
            return w.getUpperBounds()[0] == Object.class ? "?" : "? extends " + name(w.getUpperBounds()[0]);
        }
        if (type instanceof GenericArrayType a) {
            return name(a.getGenericComponentType()) + "[]";
        }
        return ((TypeVariable<?>) type).getName();
    }

    private static String wrapped(String listed) {
        StringBuilder text = new StringBuilder();
        int column = 0;
        for (String word : listed.split(" ", -1)) {
            if (column + 1 + word.length() > COLUMNS) {
                text.append("\n ");
                column = 1;
            }
            text.append(column == 0 ? "" : " ").append(word);
            column += word.length() + 1;
        }
        return text.append('\n').toString();
    }
}
