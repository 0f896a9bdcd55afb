package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A workload of somebody's own kernels, described by a JSON file: docs/kernel-files.md has its members. Whatever is wrong in it is said with
 * line and column, be it found when it is read, when its job is made, or by the checking mode. Immutable.
 */
public final class KernelFile extends Workload {
    private static final String FORMAT = "evener-kernel";
    private static final int LARGEST = 1 << 20;
    private static final int MOST = 100;
    private static final List<String> TOP = words("format version description item source options macros width sizes"
            + " parameters view undivided granule buffers phases reference tolerance expected flopsPerItem guessed");
    private static final List<String> BUFFER = words("type perItem elements image size kind data guessed");
    private static final List<String> PHASE = words("kernel source options macros group then arguments guessed");
    private static final List<String> PARAMETER = words("value least most description tune");
    private static final List<String> ACCESS = words("slice halo whole from sparse columns");
    static final List<String> SCALARS = words("int uint long ulong float double");

    /** What an argument is, each with what may stand beside it. */
    private static final Map<String, List<String>> KINDS = kinds();

    private static final Pattern ARGUMENT = Pattern.compile("kernel (\\w+)[,:](?: .*?)?? argument (\\d+)");

    final Path file;
    private final String text;
    final Node root;
    final Map<String, Node> buffers = new LinkedHashMap<>();
    final List<String> inputs = new ArrayList<>(); // what it reads, in the order of files
    final Set<String> written = new LinkedHashSet<>();
    final Set<String> counts = new LinkedHashSet<>();

    private static List<String> words(String words) {
        return List.of(words.split(" "));
    }

    private static Map<String, List<String>> kinds() {
        Map<String, List<String>> kinds = new LinkedHashMap<>();
        Stream.of("reads", "writes", "updates").forEach(kind -> kinds.put(kind, ACCESS));
        Stream.of("reduces", "accumulates").forEach(kind -> kinds.put(kind, List.of("operation")));
        kinds.put("appends", List.of("count", "most"));
        kinds.put("local", List.of("elements", "perItem"));
        kinds.put("viewStart", List.of());
        kinds.put("sampler", List.of("outside", "normalized"));
        SCALARS.forEach(type -> kinds.put(type, List.of()));
        return kinds;
    }

    /** Whether this names a file that describes kernels. */
    public static boolean isNameOf(String name) {
        try {
            return name.endsWith(".json")
                    && Node.object(text(Path.of(name)))
                            .find("format", "", Node::scalar)
                            .equals(FORMAT);
        } catch (IOException | RuntimeException e) { // said when it is read
            return false;
        }
    }

    /**
     * Reads one.
     *
     * @throws InputException if it cannot be read
     * @throws DocumentException if it is not right: where, what is wrong, and what is allowed
     */
    public static KernelFile read(Path file) {
        String text = "";
        try {
            text = text(file);
            return new KernelFile(file, text, Node.object(text));
        } catch (CharacterCodingException e) {
            throw new InputException(file, "is not UTF-8 text");
        } catch (IOException e) {
            throw InputFile.failed(file, e);
        } catch (DocumentException e) {
            throw located(file, text, e);
        }
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = BoundedLines.open(file)) {
            byte[] bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw new InputException(file, "is larger than " + LARGEST + " bytes, too much for a description");
            }
            return BoundedLines.utf8(bytes);
        }
    }

    private static DocumentException located(Path file, String text, DocumentException e) {
        return e.where().isEmpty() ? e.in(file) : e.in(file + ":" + Node.place(text, e.where()));
    }

    private KernelFile(Path file, String text, Node root) {
        super(file.toString(), root.find("description", "kernels of " + file.getFileName(), Node::text));
        this.file = file;
        this.text = text;
        this.root = root;
        if (!root.find("format", "", Node::scalar).equals(FORMAT)) {
            throw root.wrong("is no description of kernels: expected \"format\": \"" + FORMAT + "\"");
        }
        root.get("version").whole(1, 1);
        root.only(TOP);
        List<Long> sizes = root.find(
                "sizes",
                List.of(64L << 10, 1L << 20, 4L << 20),
                n -> n.list(
                        1, MOST, each -> each.isText() ? each.text(Sizes::parse, List.of()) : each.whole(1, 1L << 40)));
        String item = root.find("item", "item", Node::text);
        items(item, root.find("width") == null ? item : "row", sizes.toArray(Long[]::new));
        List<Parameter<?>> parameters = new ArrayList<>();
        Node width = root.find("width");
        if (width != null) {
            parameters.add(Parameter.integer("width", (int) width.whole(1, 1 << 30), 1, 1 << 30, "items in a row"));
        }
        Node declared = root.find("parameters", new Node("parameters", Map.of()), n -> n);
        declared.names().forEach(name -> parameters.add(parameter(name, declared.get(name))));
        parameters(parameters.toArray(Parameter[]::new));
        Node all = root.get("buffers");
        for (String name : all.names()) {
            buffers.put(name, all.get(name).only(BUFFER));
            checkImage(all.get(name), width != null);
        }
        phases(root.get("phases")).forEach(this::note);
        declareInputs();
    }

    private static Parameter<?> parameter(String name, Node node) {
        if (!name.matches("[a-z][a-z0-9-]*") || name.equals("width") || name.equals("items") || name.equals("units")) {
            throw node.wrong("a parameter needs a name of its own of small letters, digits and hyphens");
        }
        Node value = node.isObject() ? node.only(PARAMETER).get("value") : node;
        String meaning = node.isObject() ? node.find("description", name, Node::text) : name;
        double least = node.isObject() ? node.find("least", -1e300, n -> n.number(-1e300, 1e300)) : -1e300;
        double most = node.isObject() ? node.find("most", 1e300, n -> n.number(-1e300, 1e300)) : 1e300;
        if (value.scalar().matches("-?\\d+")) {
            int from = (int) least; // which stops at what an int holds
            int to = (int) most;
            return Parameter.integer(name, (int) value.whole(from, to), from, to, meaning);
        }
        return Parameter.number(name, value.number(least, most), least, most, meaning);
    }

    /** An image has what its format says of elements, and the job's size unless it says its own. */
    private static void checkImage(Node buffer, boolean isOfRows) {
        ImageFormat format = buffer.find("image", null, KernelFile::format);
        for (String other : format == null ? List.of("size", "kind") : List.of("type", "perItem", "elements")) {
            if (buffer.find(other) != null) {
                throw buffer.get(other)
                        .wrong(
                                format == null
                                        ? "is of images, and 'image' is missing: a format such as \"rgba unorm-int8\""
                                        : "is what the image's format says; leave it out");
            }
        }
        if (format != null && buffer.find("size") == null && !isOfRows) {
            throw buffer.wrong("an image of the job's size needs rows: give 'width' at the top, or its own 'size'");
        }
        if (format != null && imageKind(buffer.find("kind")) != Image.Kind.PLANE && buffer.find("size") == null) {
            throw buffer.wrong("an image of three dimensions needs its 'size': [width, height, depth]");
        }
    }

    /** Channels and the type of each, such as {@code rgba unorm-int8}. */
    static ImageFormat format(Node name) {
        String[] words = name.text().split(" ", -1);
        if (words.length != 2) {
            throw name.wrong("expected channels and the type of each, such as \"rgba unorm-int8\" or \"r float\"");
        }
        return new ImageFormat(
                new Node(name.path(), words[0]).constant(ImageFormat.Channels.class),
                new Node(name.path(), words[1]).constant(ImageFormat.Type.class));
    }

    static Image.Kind imageKind(@Nullable Node name) {
        return name == null ? Image.Kind.PLANE : name.constant(Image.Kind.class);
    }

    static boolean isImage(Node buffer) {
        return buffer.find("image") != null;
    }

    /** Whether it has a size of its own, rather than so much for each item. */
    static boolean isFixed(Node buffer) {
        return buffer.find("elements") != null || buffer.find("size") != null;
    }

    static List<Node> phases(Node list) {
        return list.list(1, MOST, phase -> phase.only(PHASE));
    }

    static List<Node> arguments(Node phase) {
        return phase.get("arguments").list(1, MOST);
    }

    /** What an argument is: the first of {@link #KINDS} that it names, or its word. */
    static String kind(Node argument) {
        if (argument.isText()) {
            if (argument.text().equals("chunkStart") || argument.text().equals("chunkUnits")) {
                return argument.text();
            }
            throw argument.wrong("expected chunkStart, chunkUnits, or an object such as {\"reads\": \"x\"}");
        }
        List<String> kinds =
                argument.names().stream().filter(KINDS::containsKey).toList();
        if (kinds.size() != 1) {
            throw argument.wrong("expected one of " + String.join(", ", KINDS.keySet()));
        }
        List<String> allowed = new ArrayList<>(kinds);
        allowed.add("guessed"); // for whoever reads it
        allowed.addAll(KINDS.getOrDefault(kinds.get(0), List.of()));
        argument.only(allowed);
        return kinds.get(0);
    }

    String buffer(Node name) {
        return name.text(
                text -> {
                    if (!buffers.containsKey(text)) {
                        throw new IllegalArgumentException(
                                "there is no buffer '" + text + "' among " + buffers.keySet());
                    }
                    return text;
                },
                buffers.keySet());
    }

    /** Notes which buffers a phase reads and writes. */
    private void note(Node phase) {
        phase.get("kernel").text();
        for (Node argument : arguments(phase)) {
            String kind = kind(argument);
            if (List.of("reads", "updates", "writes", "reduces", "accumulates", "appends")
                    .contains(kind)) {
                String name = buffer(argument.get(kind));
                boolean fresh = !inputs.contains(name)
                        && !written.contains(name)
                        && buffers.get(name).find("data") == null;
                if (fresh && List.of("reads", "updates", "accumulates").contains(kind)) {
                    inputs.add(name);
                }
                if (!kind.equals("reads")) {
                    written.add(name);
                }
            } else if (kind.equals("viewStart")) {
                buffer(argument.get(kind));
            }
            if (kind.equals("appends")) {
                counts.add(buffer(argument.get("count")));
            }
        }
    }

    private void declareInputs() {
        long most = Long.MAX_VALUE;
        StringBuilder outputs = new StringBuilder();
        for (Map.Entry<String, Node> each : buffers.entrySet()) {
            ElementType type = type(each.getValue());
            Node perItem = isImage(each.getValue())
                    ? new Node(
                            "image",
                            format(each.getValue().get("image")).channels().count())
                    : each.getValue().find("perItem");
            boolean fixed = isFixed(each.getValue());
            if (inputs.contains(each.getKey())) {
                if (fixed || (perItem != null && perItem.isText())) {
                    throw each.getValue()
                            .wrong("what is read and is no whole number of elements for each item needs 'data'");
                }
                reads(
                        each.getKey(),
                        type,
                        perItem == null ? 1 : (int) perItem.whole(1, 1 << 20),
                        "buffer " + each.getKey());
            }
            if (!fixed) {
                most = Math.min(
                        most, most(type) / (perItem == null || perItem.isText() ? 1 : perItem.whole(1, 1 << 20)));
            }
            if (written.contains(each.getKey())) {
                outputs.append(outputs.isEmpty() ? "" : "; ")
                        .append(type.openClName())
                        .append(": ")
                        .append(each.getKey());
            }
        }
        List<String> ordered =
                buffers.keySet().stream().filter(inputs::contains).toList(); // as files are given
        inputs.clear();
        inputs.addAll(ordered);
        if (written.isEmpty()) {
            throw root.get("phases").wrong("no kernel writes anything");
        }
        if (!counts.isEmpty() && written.size() > 1) {
            throw root.get("phases").wrong("where results are appended, nothing else can be written");
        }
        writes(outputs.toString());
        atMost(most == Long.MAX_VALUE ? 1L << 30 : most);
    }

    static ElementType type(Node buffer) {
        return isImage(buffer) ? format(buffer.get("image")).type().element() : typeOf(buffer.get("type"));
    }

    static ElementType typeOf(Node name) {
        List<ElementType> types = List.of(ElementType.values());
        List<String> names = types.stream().map(ElementType::openClName).toList();
        return name.text(
                text -> {
                    if (!names.contains(text)) {
                        throw new IllegalArgumentException(
                                "there is no type '" + text + "'; expected one of " + String.join(", ", names));
                    }
                    return types.get(names.indexOf(text));
                },
                names);
    }

    // ---- data and job ----

    /** What {@code evener tune} tries of each parameter, separated by commas; those that say nothing of it are left out. */
    public Map<String, String> tuned() {
        Map<String, String> tuned = new LinkedHashMap<>();
        Node declared = root.find("parameters");
        for (String name : declared == null ? List.<String>of() : declared.names()) {
            Node tune = declared.get(name).isObject() ? declared.get(name).find("tune") : null;
            if (tune != null) {
                tuned.put(name, String.join(",", tune.list(2, MOST, Node::scalar)));
            }
        }
        return tuned;
    }

    @Override
    public void check(Request request) {
        super.check(request);
        long width = width(request);
        if (request.fromFiles() && request.items() % width != 0) {
            throw request.bad(0, "has " + request.items() + " items, which are not whole rows of " + width);
        }
    }

    static long width(Request request) {
        return request.values().toMap().get("width") instanceof Number width ? width.longValue() : 1;
    }

    @Override
    public void prepare(PreparedWorkload setup) {
        try {
            new KernelJob(this, setup).prepare();
        } catch (DocumentException e) {
            throw located(file, text, e);
        }
    }

    @Override
    public EvenerException located(EvenerException failure) {
        String path = declaration(failure);
        return path == null
                ? failure
                : new EvenerException(file + ":" + Node.place(text, path) + ": " + failure.getMessage(), failure);
    }

    /** The path of the argument that a message names; of a kernel that runs in several phases, in the first. Null if it names none. */
    @Nullable
    String declaration(EvenerException failure) {
        Matcher said = ARGUMENT.matcher(String.valueOf(failure.getMessage()));
        List<Node> phases = phases(root.get("phases"));
        for (int i = 0; said.find(0) && i < phases.size(); i++) {
            int argument = Integer.parseInt(said.group(2));
            List<Node> all = arguments(phases.get(i));
            for (int at = 0, next = 0;
                    at < all.size() && phases.get(i).get("kernel").text().equals(said.group(1));
                    at++) {
                next += kind(all.get(at)).equals("appends") ? 2 : 1; // which stands for two
                if (argument < next) {
                    return "phases[" + i + "].arguments[" + at + "]";
                }
            }
        }
        return null;
    }
}
