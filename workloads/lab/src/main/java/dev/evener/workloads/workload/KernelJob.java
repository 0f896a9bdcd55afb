package dev.evener.workloads.workload;

import static dev.evener.workloads.workload.KernelFile.arguments;
import static dev.evener.workloads.workload.KernelFile.kind;
import static dev.evener.workloads.workload.KernelFile.phases;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.image.Image;
import dev.evener.image.Sampler;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The job that a {@link KernelFile} describes, for one size and one setting of its parameters, with its data. One thread. */
final class KernelJob {
    private static final long MOST = 1L << 40;

    private enum View {
        JOB,
        CHUNK
    }

    private final KernelFile of;
    private final PreparedWorkload setup;
    private final Map<String, Number> names = new LinkedHashMap<>(); // what may stand for a number
    private final Map<String, HostBuffer> made = new LinkedHashMap<>();
    private final long width;
    private final long items;

    KernelJob(KernelFile of, PreparedWorkload setup) {
        this.of = of;
        this.setup = setup;
        this.width = KernelFile.width(setup.request());
        this.items = (setup.request().items() + width - 1) / width * width;
        setup.request().values().toMap().forEach((name, value) -> names.put(name, (Number) value));
        names.put("items", items);
        names.put("units", items / width);
    }

    void prepare() {
        double bytes = 0;
        for (Map.Entry<String, Node> each : of.buffers.entrySet()) {
            ElementType type = KernelFile.type(each.getValue());
            HostBuffer buffer = of.counts.contains(each.getKey())
                    ? setup.count(type)
                    : setup.allocate(type, elements(each.getValue()));
            made.put(each.getKey(), buffer);
            fill(each.getKey(), buffer);
        }
        of.written.forEach(name -> setup.output(made.get(name)));
        Node phases = of.root.get("phases");
        for (Node phase : phases(phases)) {
            for (Node argument : arguments(phase)) {
                bytes += bytesPerItem(argument);
            }
        }
        setup.job(job(phases, made, of.root.find("undivided", false, Node::flag)))
                .items(items)
                .bytesPerItem(bytes)
                .flopsPerItem(of.root.find("flopsPerItem", 0.0, this::number))
                .reset(() -> {
                    of.written.forEach(name -> fill(name, made.get(name)));
                    of.counts.forEach(name -> Differences.spoil(made.get(name)));
                })
                .check(this::mismatch);
    }

    private double bytesPerItem(Node argument) {
        String kind = kind(argument);
        int times = kind.equals("updates") ? 2 : kind.equals("reads") || kind.equals("writes") ? 1 : 0;
        HostBuffer buffer = times == 0 ? null : made.get(argument.get(kind).text());
        return buffer == null ? 0 : (double) times * buffer.byteSize() / items;
    }

    // ---- numbers ----

    private Number value(Node node) {
        if (node.isText()) {
            return node.text(
                    text -> {
                        Number named = names.get(text);
                        if (named == null) {
                            throw new IllegalArgumentException(
                                    "'" + text + "' is no number, nor one of " + names.keySet());
                        }
                        return named;
                    },
                    names.keySet());
        }
        double number = node.number(-1e300, 1e300);
        String text = node.scalar();
        return text.matches("-?\\d{1,18}") ? (Number) Long.valueOf(text) : (Number) number;
    }

    private double number(Node node) {
        return value(node).doubleValue();
    }

    private long count(Node node, long least) {
        double number = number(node);
        if (number != Math.rint(number) || number < least || number > MOST) {
            throw node.wrong("expected a whole number from " + least + " to " + MOST + ", not " + number);
        }
        return (long) number;
    }

    private long elements(Node buffer) {
        if (KernelFile.isImage(buffer)) {
            Image.Shape shape = shape(buffer);
            return shape.bytes() / shape.format().type().element().bytes();
        }
        Node elements = buffer.find("elements");
        return elements != null ? count(elements, 1) : items * perItem(buffer);
    }

    private long perItem(Node buffer) {
        return buffer.find("perItem", 1L, n -> count(n, 1));
    }

    /** Of an image: the job's unless it says its own. */
    private Image.Shape shape(Node buffer) {
        Image.Kind kind = KernelFile.imageKind(buffer.find("kind"));
        int dimensions = kind == Image.Kind.PLANE ? 2 : 3;
        List<Long> size = buffer.find(
                "size", List.of(width, items / width), n -> n.list(dimensions, dimensions, each -> count(each, 1)));
        return at(
                buffer,
                () -> new Image.Shape(
                        kind,
                        KernelFile.format(buffer.get("image")),
                        Math.toIntExact(size.get(0)),
                        Math.toIntExact(size.get(1)),
                        size.size() > 2 ? Math.toIntExact(size.get(2)) : 1));
    }

    // ---- data ----

    /** What a buffer holds before the first job: an input, what the file says, or nothing that anybody computes. */
    private void fill(String name, HostBuffer buffer) {
        Node data = of.buffers.getOrDefault(name, of.root).find("data");
        int input = of.inputs.indexOf(name);
        if (input >= 0) {
            setup.request().fill(input, buffer);
        } else if (data == null) {
            Differences.spoil(buffer);
        } else if (data.isObject() && data.find("file") != null) {
            Path file = beside(data.only(List.of("file")).get("file"));
            InputFile content = InputFile.of(file);
            if (content.bytes() != buffer.byteSize()) {
                throw data.wrong(file + " has " + content.bytes() + " bytes, and the buffer " + buffer.byteSize());
            }
            content.read(buffer.segments());
        } else if (data.isText()) {
            Distribution spread = data.text(Distribution::named, List.of());
            new SyntheticData(spread, buffer.elements(), setup.request().seed() + name.hashCode()).fill(buffer);
        } else {
            double from =
                    data.isObject() ? number(data.only(List.of("from", "step")).get("from")) : number(data);
            double step = data.isObject() ? number(data.get("step")) : 0;
            SyntheticData.line(buffer, from, step);
        }
    }

    private Path beside(Node name) {
        return of.file.resolveSibling(name.text());
    }

    // ---- the job ----

    private Job job(Node list, Map<String, HostBuffer> on, boolean undivided) {
        String name = of.file.getFileName().toString().replaceAll("\\.json$", on == made ? "" : ", reference");
        JobBuilder job = Job.named(name);
        JobBuilder builder = of.root.find("width") != null ? job.range(width, items / width) : job.units(items);
        Node view = of.root.find("view");
        if (view != null && view.constant(View.class) == View.JOB) {
            builder.jobView();
        } else if (view != null) {
            builder.chunkView();
        }
        if (undivided) {
            builder.undivided();
        } else if (of.root.find("granule") != null) {
            builder.granule(count(of.root.get("granule"), 1));
        }
        for (Node phase : phases(list)) {
            builder.source(source(phase));
            String kernel = phase.get("kernel").text();
            if (phase.find("then", false, Node::flag)) {
                builder.then(kernel);
            } else {
                builder.kernel(kernel);
            }
            Node group = phase.find("group");
            if (group != null) {
                builder.groupSize(group.each(1, 3, n -> (int) count(n, 1)).stream()
                        .mapToInt(i -> i)
                        .toArray());
            }
            for (Node argument : arguments(phase)) {
                at(argument, () -> declare(builder, argument, on));
            }
        }
        return at(list, builder::build);
    }

    /** Has what is refused be said of its place in the file. */
    private <T> T at(Node where, Supplier<T> work) {
        try {
            return work.get();
        } catch (IllegalArgumentException e) {
            throw where.wrong(String.valueOf(e.getMessage()));
        } catch (EvenerException e) {
            String path = of.declaration(e);
            throw path == null
                    ? where.wrong(String.valueOf(e.getMessage()))
                    : new DocumentException(path, String.valueOf(e.getMessage()));
        }
    }

    private KernelSource source(Node phase) {
        Node file = phase.find("source", of.root.find("source"), n -> n);
        if (file == null) {
            throw phase.wrong("'source' is missing, here or at the top: the file of OpenCL C");
        }
        KernelSource source;
        try {
            source = KernelSource.file(beside(file));
        } catch (EvenerException | UncheckedIOException e) {
            throw file.wrong(String.valueOf(e.getMessage()));
        }
        for (Node in : List.of(of.root, phase)) {
            source = source.withOptions(in.find("options", "", Node::text));
            Node macros = in.find("macros");
            for (String macro : macros == null ? List.<String>of() : macros.names()) {
                source = source.withMacro(macro, value(macros.get(macro)));
            }
        }
        return source;
    }

    private JobBuilder declare(JobBuilder to, Node argument, Map<String, HostBuffer> on) {
        String kind = kind(argument);
        if (argument.isText()) {
            return kind.equals("chunkStart") ? to.chunkStart() : to.chunkUnits();
        }
        if (kind.equals("local")) {
            ElementType type = KernelFile.typeOf(argument.get("local"));
            long perItem = argument.find("perItem", 0L, n -> count(n, 1));
            long fixed = perItem > 0 ? 0 : count(argument.get("elements"), 1);
            return to.local(type, group -> fixed + perItem * group);
        }
        if (kind.equals("sampler")) {
            return to.sampler(sampler(argument));
        }
        return KernelFile.SCALARS.contains(kind)
                ? to.scalar(scalar(kind, value(argument.get(kind))))
                : declareBuffer(to, argument, kind, on);
    }

    private static Sampler sampler(Node argument) {
        Sampler named = argument.get("sampler").constant(Sampler.Filter.class) == Sampler.Filter.LINEAR
                ? Sampler.linear()
                : Sampler.nearest();
        Node outside = argument.find("outside");
        Sampler.Address address = outside == null ? named.address() : outside.constant(Sampler.Address.class);
        return new Sampler(named.filter(), address, argument.find("normalized", false, Node::flag));
    }

    private static Number scalar(String type, Number value) {
        return switch (type) {
            case "int", "uint" -> (int) value.longValue();
            case "long", "ulong" -> value.longValue();
            case "float" -> value.floatValue();
            default -> value.doubleValue();
        };
    }

    private JobBuilder declareBuffer(JobBuilder to, Node argument, String kind, Map<String, HostBuffer> on) {
        String name = of.buffer(argument.get(kind));
        HostBuffer buffer = on.getOrDefault(name, made.get(name));
        Node described = of.buffers.getOrDefault(name, of.root);
        if (KernelFile.isImage(described)) {
            Image<HostBuffer> image = new Image<>(buffer, shape(described));
            return switch (kind) {
                case "reads" -> to.reads(image, access(argument, name));
                case "writes" -> to.writes(image, access(argument, name));
                case "updates" -> to.updates(image, access(argument, name));
                default -> throw argument.wrong("an image is read, written or updated");
            };
        }
        return switch (kind) {
            case "reads" -> to.reads(buffer, access(argument, name));
            case "writes" -> to.writes(buffer, access(argument, name));
            case "updates" -> to.updates(buffer, access(argument, name));
            case "reduces" -> to.reduces(buffer, argument.get("operation").constant(Access.Reduction.class));
            case "accumulates" ->
                to.accumulates(buffer, argument.get("operation").constant(Access.Reduction.class));
            case "viewStart" -> to.viewStart(buffer);
            default -> {
                HostBuffer count = on.getOrDefault(
                        argument.get("count").text(),
                        made.get(argument.get("count").text()));
                yield to.appends(buffer, count, count(argument.get("most"), 1));
            }
        };
    }

    /** A slice of what a unit has of the buffer, or of rows of an image, unless the file says another. */
    private Access access(Node argument, String name) {
        Node buffer = of.buffers.getOrDefault(name, of.root);
        boolean image = KernelFile.isImage(buffer);
        Node whole = argument.find("whole");
        boolean fixed = KernelFile.isFixed(buffer)
                && Stream.of("slice", "columns", "halo", "from").noneMatch(member -> argument.find(member) != null);
        if (whole == null ? fixed : whole.flag()) {
            return Access.whole();
        }
        long perUnit = argument.find("slice", image ? 0 : fixed ? 1 : perItem(buffer) * width, n -> count(n, 1));
        Access.Slice slice = perUnit == 0 ? Access.slice() : Access.slice(perUnit);
        Node columns = argument.find("columns");
        Node from = argument.find("from");
        boolean sparse = argument.find("sparse", false, Node::flag);
        List<Long> halo = argument.find("halo", List.of(), n -> n.list(2, 2, each -> count(each, 0)));
        if (columns != null || from != null) {
            Access.Parts parts =
                    columns != null ? Access.columns(count(columns, 1)).perUnit(perUnit) : slice.from(0);
            parts = from == null ? parts : parts.from(count(from, 0));
            parts = halo.isEmpty() ? parts : parts.halo(halo.get(0), halo.get(1));
            return sparse ? parts.sparse() : parts;
        }
        return halo.isEmpty() ? sparse ? slice.sparse() : slice : slice.halo(halo.get(0), halo.get(1));
    }

    // ---- what the result should be ----

    /** By the digest, if the file has that of these data; and by the reference or, where there is none, the job whole on one device. */
    private @Nullable String mismatch() {
        Node expected = of.root.find("expected");
        Node reference = of.root.find("reference");
        if (expected != null && isOf(expected.only(List.of("items", "seed", "sha256")))) {
            String wanted = expected.get("sha256").text();
            String found = digest();
            if (!found.equals(wanted) || reference == null) {
                return found.equals(wanted) ? null : "the SHA-256 of the result is " + found + ", not " + wanted;
            }
        }
        Map<String, HostBuffer> copies = new LinkedHashMap<>();
        try {
            List<String> all = new ArrayList<>(of.written);
            all.addAll(of.counts);
            for (String name : all) {
                HostBuffer was = made.get(name);
                copies.put(name, setup.temporary(was.type(), was.elements()));
                fill(name, copies.get(name));
            }
            Node phases = reference == null
                    ? of.root.get("phases")
                    : reference.only(List.of("phases")).get("phases");
            setup.runWhole(job(phases, copies, true));
            for (String name : of.written) {
                String difference = difference(name, copies.get(name));
                if (difference != null) {
                    return difference + (reference == null ? " (whole on one device)" : "");
                }
            }
            return null;
        } catch (CompletionException e) {
            return "the reference failed: " + e.getCause();
        } catch (DocumentException e) {
            return "the reference cannot run: " + e.getMessage();
        } finally {
            copies.values().forEach(HostBuffer::close);
        }
    }

    private boolean isOf(Node expected) {
        Request request = setup.request();
        return !request.fromFiles()
                && (request.distribution() == null || request.distribution() == Distribution.UNIFORM)
                && items == expected.get("items").whole(1, MOST)
                && request.seed() == expected.find("seed", 1L, n -> n.whole(Long.MIN_VALUE, Long.MAX_VALUE));
    }

    private String digest() {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            setup.output()
                    .writeTo(Channels.newChannel(new DigestOutputStream(OutputStream.nullOutputStream(), sha256)));
            return HexFormat.of().formatHex(sha256.digest());
        } catch (NoSuchAlgorithmException | IOException e) { // every Java platform has it, and nothing is written
            throw new IllegalStateException(e);
        }
    }

    private @Nullable String difference(String name, HostBuffer expected) {
        HostBuffer actual = made.get(name);
        double tolerance = of.root.find("tolerance", 0.0, n -> n.number(0, 1));
        long elements = of.counts.isEmpty() ? actual.elements() : setup.counted();
        int bytes = Math.toIntExact(elements * actual.type().bytes());
        return Differences.first(name, actual, expected.bytes().limit(bytes), tolerance);
    }
}
