package dev.evener.workloads.imports;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.KernelSource;
import dev.evener.workloads.imports.KernelReader.Loop;
import dev.evener.workloads.imports.KernelReader.Parameter;
import dev.evener.workloads.imports.KernelReader.Space;
import dev.evener.workloads.imports.KernelReader.Use;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a declaration of a kernel that somebody else wrote would be, as far as its text tells: a file of docs/kernel-files.md, or calls of a builder.
 * Each guess says from what it was made. Where the text leaves a choice, the guess errs to what is read more, which is right and slower. A run in
 * the checking mode tells what is wrong, and {@link #mend} widens that. One thread.
 *
 * <p><b>Numbers.</b> One that the index of a dimension is compared with stands for the size of that; others become parameters, of a value
 * that a user is to set. <b>Buffers.</b> {@link KernelReader} finds the places at which a kernel uses each, and {@link Index} writes a place as a
 * sum of products of numbers, names and the index {@code #d} of each dimension. What the index of the last dimension is multiplied by are the
 * elements of a unit, a row's width makes them rows; what is left, of numbers and of loops with known ends, is as far as the unit sees
 * around. A place that is no such sum, a pointer that is handed on, or a write at another unit's place makes the buffer one that is seen
 * whole; if it is written then, the job is undivided. Atomic operations accumulate. <b>Images.</b> The same of the row of each coordinate.
 */
public final class KernelImport {
    private static final int WIDTH = 256; // pixels of a row, and items of a small job, that nobody has chosen yet
    private static final int GROUP = 64;
    private static final int SIDE = 16; // of a group of two dimensions
    private static final int LOOP_ROUNDS = 4;

    /** What a kernel does with memory. */
    private static final class Guess {
        private String verb = "reads";
        private String operation = "";
        private String slice = ""; // elements, or rows, of a unit; empty for as many as there are
        private long before;
        private long after;
        private boolean isWhole;
        private String row =
                ""; // a number that units are multiplied by, of which the buffer has as many elements for each
        private String from = ""; // what of the text it was made from

        /** Units as far before and behind as these are. */
        private void around(long[] units) {
            before = Math.max(before, -units[0]);
            after = Math.max(after, units[1]);
        }

        private void whole(String why) {
            isWhole = true;
            from = why;
        }
    }

    private final Path file;
    private final KernelReader kernel;
    private final int dimensions;
    private final Map<String, Guess> guesses = new LinkedHashMap<>();
    private final Map<String, String> scalars =
            new LinkedHashMap<>(); // what each stands for: items, width, units, or a parameter
    private final Map<String, Number> values = new LinkedHashMap<>(); // of parameters
    private final List<String> indexes = new ArrayList<>(); // buffers whose elements are places in others
    private boolean undivided;
    private String whyUndivided = "";

    private KernelImport(Path file, KernelReader kernel) {
        this.file = file;
        this.kernel = kernel;
        this.dimensions = kernel.dimensions();
        if (dimensions > 2) {
            undivided("it has three dimensions, of which a file has two");
        }
        scalars();
        for (Parameter each : kernel.parameters) {
            if (each.space() == Space.GLOBAL || each.space() == Space.CONSTANT || each.space() == Space.IMAGE) {
                Guess guess = each.space() == Space.IMAGE ? image(each) : buffer(each);
                guesses.put(each.name(), guess);
            }
        }
        for (Parameter each : kernel.parameters) {
            Guess guess = guesses.get(each.name());
            if (guess != null && guess.isWhole && !guess.verb.equals("reads") && guess.operation.isEmpty()) {
                undivided(each.name() + " is written " + guess.from);
            }
        }
    }

    /**
     * The names of the kernels in a text, in its order.
     *
     * @throws UncheckedIOException if it cannot be read
     */
    public static List<String> kernels(Path file) {
        return KernelReader.of(KernelSource.file(file)).stream()
                .map(each -> each.name)
                .toList();
    }

    /**
     * Guesses a declaration of the kernel of this name.
     *
     * @throws IllegalArgumentException if there is none, or it takes what no declaration has
     */
    public static KernelImport of(Path file, String name) {
        KernelReader kernel = KernelReader.of(KernelSource.file(file)).stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no kernel '" + name + "'; there are " + String.join(", ", kernels(file))));
        for (Parameter each : kernel.parameters) {
            boolean image = each.space() == Space.IMAGE
                    && !List.of("image2d_t", "image2d_array_t", "image3d_t").contains(each.type());
            if (image || each.type().equals("pipe") || each.type().equals("queue_t")) {
                throw new IllegalArgumentException("kernel " + name + ", parameter " + each.name() + ": a "
                        + each.type() + " is no argument of a job");
            }
        }
        return new KernelImport(file, kernel);
    }

    private void undivided(String why) {
        undivided = true;
        whyUndivided = whyUndivided.isEmpty() ? why : whyUndivided;
    }

    // ---- guesses ----

    private void scalars() {
        Map<String, Integer> bounds = kernel.bounds();
        for (Parameter each : kernel.parameters) {
            if (each.space() != Space.VALUE) {
                continue;
            }
            Integer bound = bounds.get(each.name());
            boolean whole = List.of("int", "uint", "long", "ulong", "short", "ushort", "char", "uchar")
                    .contains(each.type());
            if (bound != null && whole && bound < dimensions) {
                scalars.put(each.name(), dimensions == 1 ? "items" : bound == 0 ? "width" : "units");
            } else if (each.name().toLowerCase(Locale.ROOT).equals("width") && whole && dimensions == 2) {
                scalars.put(each.name(), "width");
            } else if (each.name().toLowerCase(Locale.ROOT).equals("height") && whole && dimensions == 2) {
                scalars.put(each.name(), "units");
            } else {
                String name = each.name()
                        .replaceAll("([a-z])([A-Z])", "$1-$2")
                        .replace('_', '-')
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("^-+|-+$", "");
                name = !name.matches("[a-z][a-z0-9-]*")
                                || List.of("width", "items", "units").contains(name)
                        ? "p-" + name
                        : name;
                scalars.put(each.name(), name);
                boolean rounds = kernel.loops.values().stream()
                        .anyMatch(loop -> loop.to().contains(each.name()));
                values.put(name, whole ? (Number) (rounds ? LOOP_ROUNDS : 1) : (Number) 0.5);
            }
        }
    }

    private Guess buffer(Parameter parameter) {
        Guess guess = new Guess();
        String atomic = kernel.atomics.get(parameter.name());
        if (atomic != null && !atomic.isEmpty()) {
            guess.verb = "accumulates";
            guess.operation = atomic;
            guess.from = "by atomic operations";
            return guess;
        }
        List<Use> uses = kernel.uses(parameter.name());
        boolean written = uses == null ? !parameter.constant() : uses.stream().anyMatch(Use::writes);
        boolean complete =
                uses != null && uses.stream().noneMatch(use -> use.reads() || (use.writes() && use.guarded()));
        guess.verb = !written ? "reads" : complete ? "writes" : "updates";
        if (uses == null || parameter.space() == Space.CONSTANT) {
            guess.whole(uses == null ? "by a pointer or another function" : "as constants");
            return guess;
        }
        List<String> places = new ArrayList<>();
        for (Use use : uses) {
            places.add(parameter.name() + "[" + use.index().strip() + "]");
            kernel.parameters.stream()
                    .filter(other -> other.space() == Space.GLOBAL
                            && use.index().matches("(?s).*\\b" + other.name() + "\\s*\\[.*"))
                    .forEach(other -> indexes.add(other.name()));
            for (Map<String, Long> sum : kernel.index(use.index())) {
                if (!guess.isWhole && !takes(guess, sum, use.writes(), parameter.lanes())) {
                    guess.whole("at " + places.get(places.size() - 1));
                }
            }
        }
        if (guess.isWhole && guess.verb.equals("writes")) {
            guess.verb = "updates"; // as some of it may be left out
        }
        if (!guess.isWhole) {
            guess.from = places.stream().distinct().limit(6).collect(Collectors.joining(", "));
        }
        return guess;
    }

    /** Widens a guess by a place; false if that is no part of a unit, or of those around it. */
    private boolean takes(Guess guess, Map<String, Long> sum, boolean writes, int lanes) {
        int unit = dimensions - 1;
        Map<String, Long> rest = new LinkedHashMap<>(sum);
        String each = ""; // elements of a unit
        for (String key : sum.keySet()) {
            List<String> names = new ArrayList<>(List.of(key.split("\\*")));
            if (names.remove("#" + unit)) {
                boolean simple = each.isEmpty() && names.size() <= 1 && (names.isEmpty() || sum.get(key) == 1);
                if (!simple || names.stream().anyMatch(name -> name.startsWith("#"))) {
                    return false;
                }
                each = names.isEmpty() ? String.valueOf(sum.get(key)) : names.get(0);
                guess.row = scalars.getOrDefault(names.isEmpty() ? "" : each, guess.row);
                rest.remove(key);
            }
        }
        if (each.isEmpty() || each.startsWith("-")) {
            return false;
        }
        boolean rows = dimensions == 2 && "width".equals(scalars.get(each));
        if (rows) {
            Long column = rest.remove("#0");
            if (column != null && column != 1) {
                return false;
            }
        }
        long[] units = rows ? around(rest, each) : within(rest, each);
        if (units == null || (writes && (units[0] < 0 || units[1] > 0))) {
            return false;
        }
        String own = rows ? "" : dimensions == 1 && each.equals("1") ? "" : inElements(each, lanes);
        if (!guess.slice.isEmpty() && !guess.slice.equals(own)) {
            return false;
        }
        guess.slice = own;
        guess.around(units);
        return true;
    }

    private String inElements(String each, int lanes) {
        return each.matches("\\d+")
                ? String.valueOf(Long.parseLong(each) * lanes)
                : lanes == 1 ? scalars.getOrDefault(each, each) : "?";
    }

    /** Rows before and behind: of so many widths, and one more where elements beside its own may be in the next. Null if that is open. */
    private long @Nullable [] around(Map<String, Long> rest, String width) {
        Map<String, Long> rows = new LinkedHashMap<>();
        Map<String, Long> beside = new LinkedHashMap<>();
        for (Map.Entry<String, Long> term : rest.entrySet()) {
            List<String> names = new ArrayList<>(List.of(term.getKey().split("\\*")));
            if (names.remove(width)) {
                rows.put(String.join("*", names), term.getValue());
            } else {
                beside.put(term.getKey(), term.getValue());
            }
        }
        long[] far = bounds(rows);
        long[] near = bounds(beside);
        return far == null || near == null
                ? null
                : new long[] {far[0] - (near[0] < 0 ? 1 : 0), far[1] + (near[1] > 0 ? 1 : 0)};
    }

    /** Units before and behind, of so many elements each. */
    private long @Nullable [] within(Map<String, Long> rest, String each) {
        if (each.matches("\\d+")) {
            long[] found = bounds(rest);
            long count = Long.parseLong(each);
            return found == null ? null : new long[] {Math.floorDiv(found[0], count), Math.floorDiv(found[1], count)};
        }
        if (rest.isEmpty()) {
            return new long[2];
        }
        String only = rest.size() == 1 ? rest.keySet().iterator().next() : "";
        Loop loop = kernel.loops.get(only);
        boolean all = loop != null
                && rest.get(only) == 1
                && kernel.index(loop.from()).equals(List.of(Map.of("", 0L)))
                && loop.to().strip().equals(each);
        return all ? new long[2] : null;
    }

    /** The least and the most of a sum of numbers and loops' variables; null if something else is in it. */
    private long @Nullable [] bounds(Map<String, Long> sum) {
        long[] all = new long[2];
        for (Map.Entry<String, Long> term : sum.entrySet()) {
            Loop loop = kernel.loops.get(term.getKey());
            Long first = term.getKey().isEmpty() ? (Long) 1L : loop == null ? null : number(loop.from());
            Long last = term.getKey().isEmpty() ? (Long) 1L : loop == null ? null : number(loop.to());
            if (first == null || last == null) {
                return null;
            }
            long most = loop == null ? last : last - 1;
            all[0] += Math.min(first * term.getValue(), most * term.getValue());
            all[1] += Math.max(first * term.getValue(), most * term.getValue());
        }
        return all;
    }

    /** Of a loop's end; a parameter's is what this guesses for it, which a user may set to more. */
    private @Nullable Long number(String text) {
        List<Map<String, Long>> all = kernel.index(text);
        return all.size() == 1 ? Index.constant(all.get(0)) : null;
    }

    private Guess image(Parameter parameter) {
        Guess guess = new Guess();
        guess.verb = parameter.constant() ? "reads" : "writes";
        List<String> all = kernel.coordinates(parameter.name());
        if (dimensions != 2 || !parameter.type().equals("image2d_t")) {
            guess.whole("as the range has " + dimensions + " dimension" + (dimensions == 1 ? "" : "s"));
            if (!parameter.type().equals("image2d_t")) {
                guess.from = "as an " + parameter.type();
            }
            return guess;
        }
        if (all == null) {
            guess.whole("by another function");
            return guess;
        }
        List<String> rows = new ArrayList<>();
        for (String each : all) {
            List<Map<String, Long>> places = row(each);
            rows.add(each.strip());
            for (Map<String, Long> place : places) {
                Map<String, Long> rest = new LinkedHashMap<>(place);
                Long own = rest.remove("#1");
                long[] units = own != null && own == 1 ? bounds(rest) : null;
                if (units == null || (!parameter.constant() && (units[0] < 0 || units[1] > 0))) {
                    guess.whole("at " + each.strip());
                    return guess;
                }
                guess.around(units);
            }
        }
        guess.from = rows.stream().distinct().limit(6).collect(Collectors.joining(", "));
        return guess;
    }

    /** The row of a coordinate: of a vector's text, a name for one, or sums of those. */
    private List<Map<String, Long>> row(String coordinate) {
        String rest = coordinate.strip();
        List<String> parts = Index.vector(rest);
        String named = rest.matches("\\w+") ? kernel.value(rest) : null;
        if (!parts.isEmpty()) {
            return parts.size() > 1 ? kernel.index(parts.get(1)) : List.of(Map.of(Index.UNKNOWN, 1L));
        }
        if (named != null) {
            return row(named);
        }
        List<String> terms = Index.parts(rest, '+');
        if (terms.size() != 2) {
            return List.of(Map.of(Index.UNKNOWN, 1L));
        }
        List<String> sum = new ArrayList<>();
        for (String each : terms) {
            String text = each.strip();
            String value = text.matches("\\w+") ? kernel.value(text) : text;
            List<String> vector = Index.vector(value);
            if (vector.size() < 2) {
                return List.of(Map.of(Index.UNKNOWN, 1L));
            }
            sum.add("(" + vector.get(1) + ")");
        }
        return kernel.index(String.join(" + ", sum));
    }

    // ---- what a run tells ----

    /**
     * Widens what a run found to be wrong.
     *
     * @param argument the number of the kernel's parameter that was said
     * @param message what was said of it
     * @return what was changed; null if there is nothing wider
     */
    public @Nullable String mend(int argument, String message) {
        Parameter parameter = argument < kernel.parameters.size() ? kernel.parameters.get(argument) : null;
        Guess guess = parameter == null ? null : guesses.get(parameter.name());
        if (parameter == null || guess == null) {
            return null;
        }
        boolean unwritten =
                message.contains("not written") || message.contains("unwritten") || message.contains("leaves");
        if (guess.verb.equals("writes") && unwritten) {
            guess.verb = "updates";
            return parameter.name() + ": updates, as not all of it is written";
        }
        if (!guess.isWhole && guess.verb.equals("reads")) {
            guess.whole("by a run in the checking mode, which found that it is read elsewhere");
            return parameter.name() + ": whole, as it is read elsewhere";
        }
        if (!undivided) {
            undivided("a run in the checking mode found that " + parameter.name()
                    + " is written, or read while it is, by other units");
            return "undivided, as " + parameter.name() + " is touched by other units";
        }
        return null;
    }

    /** One line for each guess. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (undivided) {
            notes.add("undivided: " + whyUndivided);
        }
        guesses.forEach((name, guess) ->
                notes.add(name + ": " + described(guess) + (guess.from.isEmpty() ? "" : ", from " + guess.from)));
        scalars.forEach((name, stands) -> notes.add(name + ": "
                + (values.containsKey(stands)
                        ? "the parameter " + stands + ", " + values.get(stands) + " until you say more"
                        : stands)));
        return notes;
    }

    private static String described(Guess guess) {
        String part = guess.isWhole
                ? "whole"
                : guess.operation.isEmpty()
                        ? (guess.slice.isEmpty() ? "its own" : guess.slice + " for each unit")
                        : guess.operation;
        String halo = guess.before + guess.after > 0 && !guess.isWhole
                ? ", and " + guess.before + " before and " + guess.after + " behind"
                : "";
        return guess.verb + " " + part + halo;
    }

    // ---- as a file ----

    /**
     * The file.
     *
     * @param source how it names the text
     * @throws IllegalArgumentException if the kernel takes by value what a file has not
     */
    public String json(String source) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("format", "evener-kernel");
        root.put("version", 1);
        root.put("description", kernel.name + " of " + file.getFileName() + ", as far as its text tells");
        root.put("source", source);
        if (dimensions > 1) {
            root.put("width", WIDTH);
        }
        root.put("sizes", dimensions > 1 ? List.of("16Ki", "1Mi") : List.of("1Ki", "1Mi"));
        if (undivided) {
            root.put("undivided", true);
            root.put("guessed", whyUndivided);
        }
        if (!values.isEmpty()) {
            root.put("parameters", values);
        }
        Map<String, Object> buffers = new LinkedHashMap<>();
        List<Object> arguments = new ArrayList<>();
        for (Parameter each : kernel.parameters) {
            arguments.add(argument(each));
            if (guesses.containsKey(each.name())) {
                buffers.put(each.name(), described(each));
            }
        }
        root.put("buffers", buffers);
        Map<String, Object> phase = new LinkedHashMap<>();
        phase.put("kernel", kernel.name);
        List<Integer> group = group();
        if (!group.isEmpty()) {
            phase.put("group", group);
        }
        phase.put("arguments", arguments);
        root.put("phases", List.of(phase));
        return laidOut(root);
    }

    /** As the text demands, or as many as most devices take; empty where any size will do. */
    private List<Integer> group() {
        if (!kernel.group.isEmpty()) {
            return kernel.group.subList(0, Math.min(2, Math.max(1, dimensions)));
        }
        return !kernel.asksForGroups() ? List.of() : dimensions > 1 ? List.of(SIDE, SIDE) : List.of(GROUP);
    }

    private Map<String, Object> described(Parameter parameter) {
        Guess guess = guesses.get(parameter.name());
        Map<String, Object> buffer = new LinkedHashMap<>();
        if (parameter.space() == Space.IMAGE) {
            String suffix = kernel.body.replaceAll(
                    "(?s).*?(?:read|write)_image(\\w+)\\s*\\(\\s*" + parameter.name() + "\\b.*", "$1");
            buffer.put(
                    "image",
                    suffix.equals("ui")
                            ? "rgba unsigned-int8"
                            : suffix.equals("i") ? "rgba signed-int32" : "rgba float");
            if (!parameter.type().equals("image2d_t")) {
                buffer.put("kind", parameter.type().equals("image3d_t") ? "volume" : "layers");
                buffer.put("size", List.of(SIDE, SIDE, SIDE));
                buffer.put("data", "uniform");
            }
            buffer.put("guessed", "the format");
            return buffer;
        }
        buffer.put("type", type(parameter));
        if (indexes.contains(parameter.name())) { // each of them is in every buffer of as many elements
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("from", 0);
            line.put("step", 1);
            buffer.put("data", line);
            buffer.put("guessed", "the data, as its elements are places in another buffer");
        }
        if (guess != null && guess.slice.matches("[a-z].*")) {
            buffer.put("perItem", guess.slice);
            buffer.putIfAbsent("data", "uniform");
        } else if (guess != null && !guess.slice.isEmpty() && dimensions == 1) {
            buffer.put("perItem", Integer.parseInt(guess.slice));
        } else if (guess != null && guess.isWhole && dimensions == 1 && !guess.row.isEmpty()) {
            buffer.put("perItem", guess.row);
            buffer.putIfAbsent("data", "uniform");
        } else if (parameter.lanes() > 1) {
            buffer.put("perItem", parameter.lanes());
        }
        return buffer;
    }

    private String type(Parameter parameter) {
        List<String> known =
                List.of("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double");
        if (!known.contains(parameter.type())) {
            throw new IllegalArgumentException(
                    "kernel " + kernel.name + ", parameter " + parameter.name() + ": a file has no elements of type "
                            + parameter.type() + "; --java prints what a program would say");
        }
        return parameter.type();
    }

    private Object argument(Parameter parameter) {
        Map<String, Object> argument = new LinkedHashMap<>();
        Guess guess = guesses.get(parameter.name());
        if (guess != null) {
            argument.put(guess.operation.isEmpty() ? guess.verb : "accumulates", parameter.name());
            if (!guess.operation.isEmpty()) {
                argument.put("operation", guess.operation);
            } else if (guess.isWhole || undivided) {
                argument.put("whole", true);
            } else {
                if (dimensions > 1 && !guess.slice.isEmpty()) {
                    argument.put(
                            "slice",
                            guess.slice.matches("\\d+") ? (Object) Integer.parseInt(guess.slice) : guess.slice);
                }
                if (guess.before + guess.after > 0) {
                    argument.put("halo", List.of(guess.before, guess.after));
                }
            }
            argument.put("guessed", guess.from);
            return argument;
        }
        switch (parameter.space()) {
            case SAMPLER -> argument.put("sampler", "nearest");
            case LOCAL -> {
                argument.put("local", type(parameter));
                argument.put("perItem", parameter.lanes());
                argument.put("guessed", "an element for each work-item of a group");
            }
            default -> {
                if (parameter.lanes() > 1
                        || !List.of("int", "uint", "long", "ulong", "float", "double")
                                .contains(parameter.type())) {
                    throw new IllegalArgumentException(
                            "kernel " + kernel.name + ", parameter " + parameter.name() + ": a file has no "
                                    + parameter.type() + (parameter.lanes() > 1 ? parameter.lanes() : "")
                                    + " by value; --java prints what a program would say");
                }
                argument.put(parameter.type(), scalars.getOrDefault(parameter.name(), "items"));
                argument.put("guessed", "its name, or what the place of a work-item is compared with");
            }
        }
        return argument;
    }

    /** A line for each buffer and argument. */
    private static String laidOut(Map<String, Object> root) {
        StringBuilder text = new StringBuilder("{");
        Function<Object, String> line = value -> {
            try {
                return JSON.std
                        .asString(value)
                        .replaceAll(",(?=[\\d\"{\\[])", ", ")
                        .replace("\":", "\": ");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        root.forEach((name, value) -> {
            text.append(text.length() > 1 ? ",\n " : "")
                    .append('"')
                    .append(name)
                    .append("\": ");
            if (name.equals("buffers") && value instanceof Map<?, ?> buffers) {
                text.append(buffers.entrySet().stream()
                        .map(each -> "\n  \"" + each.getKey() + "\": " + line.apply(each.getValue()))
                        .collect(Collectors.joining(",", "{", "}")));
            } else if (name.equals("phases")
                    && value instanceof List<?> phases
                    && phases.get(0) instanceof Map<?, ?> phase) {
                text.append("[{\n  \"kernel\": ").append(line.apply(phase.get("kernel")));
                if (phase.get("group") != null) {
                    text.append(", \"group\": ").append(line.apply(phase.get("group")));
                }
                text.append(((List<?>) phase.get("arguments"))
                        .stream()
                                .map(each -> "\n   " + line.apply(each))
                                .collect(Collectors.joining(",", ", \"arguments\": [", "]}]")));
            } else {
                text.append(line.apply(value));
            }
        });
        return text.append("}\n").toString();
    }

    // ---- as Java ----

    /** The calls of a builder, with comments that say what was guessed. */
    public String java() {
        StringBuilder text = new StringBuilder();
        text.append("Job.named(\"").append(kernel.name).append("\")\n");
        text.append("        .source(KernelSource.file(Path.of(\"")
                .append(file.getFileName())
                .append("\")))\n");
        text.append(dimensions > 1 ? "        .range(width, height)\n" : "        .units(items)\n");
        if (undivided) {
            text.append("        .undivided() // guessed: ")
                    .append(whyUndivided)
                    .append('\n');
        }
        text.append("        .kernel(\"").append(kernel.name).append("\")\n");
        List<Integer> group = group();
        if (!group.isEmpty()) {
            text.append("        .groupSize(")
                    .append(group.stream().map(String::valueOf).collect(Collectors.joining(", ")))
                    .append(kernel.group.isEmpty() ? ") // guessed\n" : ")\n");
        }
        kernel.parameters.forEach(
                each -> text.append("        .").append(call(each)).append('\n'));
        return text.append("        .build();\n").toString();
    }

    private String call(Parameter parameter) {
        Guess guess = guesses.get(parameter.name());
        if (guess != null) {
            String access = guess.isWhole || undivided
                    ? "whole()"
                    : "slice(" + (guess.slice.isEmpty() ? "" : guess.slice) + ")"
                            + (guess.before + guess.after > 0
                                    ? ".halo(" + guess.before + ", " + guess.after + ")"
                                    : "");
            String said = guess.operation.isEmpty()
                    ? guess.verb + "(" + parameter.name() + ", " + access + ")"
                    : "accumulates(" + parameter.name() + ", Reduction." + guess.operation.toUpperCase(Locale.ROOT)
                            + ")";
            return said + " // guessed: " + guess.from;
        }
        return switch (parameter.space()) {
            case SAMPLER -> "sampler(Sampler.nearest()) // guessed";
            case LOCAL ->
                "local(ElementType." + parameter.type().toUpperCase(Locale.ROOT) + ", group -> " + parameter.lanes()
                        + " * group) // guessed: " + parameter.name();
            default -> {
                boolean scalar =
                        parameter.lanes() == 1 && parameter.type().matches("u?(?:char|short|int|long)|float|double");
                yield (scalar ? "scalar(" : "value(") + parameter.name() + ")"
                        + (scalar
                                ? ""
                                : " // a " + parameter.type() + (parameter.lanes() > 1 ? parameter.lanes() : "")
                                        + ", as bytes in native order");
            }
        };
    }
}
