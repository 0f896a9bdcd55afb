package dev.evener.workloads.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.internal.files.PlainFiles;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.bench.FirstJobs.Part;
import dev.evener.workloads.bench.Result.Timed;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.Statistics.Estimate;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Results, a line each, so that an experiment that was interrupted goes on where it was. Each stands under
 * a {@linkplain Case#digest digest} of everything it depends on: whatever changes, that case and no other is measured
 * again. A line is on the disk before the next case begins; one that was being written when the process or the machine
 * died is cut off when the file is opened again. One process at a time, one thread unless a method says else.
 */
public final class ResultsFile implements AutoCloseable {
    private static final String FORMAT = "evener-results";
    private static final int VERSION = 1;
    private static final String HEADER = "{\"format\":\"" + FORMAT + "\",\"version\":" + VERSION + "}\n";
    private static final int LARGEST = 1 << 29;
    private static final int MOST = 10_000;

    private final Path file;
    private final FileChannel channel;
    private final Map<String, Line> kept = new HashMap<>();

    private record Line(int number, Node result) {}

    private ResultsFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Opens a file, or makes it and its folder.
     *
     * @param fresh whether to forget what is in it
     * @throws IOException if it cannot be read or written
     * @throws DocumentException if it is something else, damaged, or in use
     */
    public static ResultsFile open(Path file, boolean fresh) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        FileChannel channel =
                PlainFiles.channel(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        ResultsFile results = new ResultsFile(file, channel);
        try {
            if (results.lock() == null) {
                throw new DocumentException("", "is in use by another run of an experiment; name another by --out");
            }
            results.load(fresh);
            return results;
        } catch (DocumentException e) {
            channel.close();
            throw e.in(file);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Held until the channel is closed; null if another has it. */
    private @Nullable FileLock lock() throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private void load(boolean fresh) throws IOException {
        byte[] bytes = Channels.newInputStream(channel).readNBytes(LARGEST + 1);
        if (bytes.length > LARGEST) {
            throw new DocumentException("", "is larger than " + LARGEST + " bytes");
        }
        int whole = bytes.length;
        while (whole > 0 && bytes[whole - 1] != '\n') {
            whole--; // cut off
        }
        List<String> lines =
                new String(bytes, 0, whole, StandardCharsets.UTF_8).lines().toList();
        boolean torn = whole == 0 && HEADER.startsWith(new String(bytes, StandardCharsets.UTF_8));
        if (!torn && (whole == 0 || !isHeader(lines.get(0)))) {
            throw new DocumentException("", "is no file of results of evener bench; name another by --out");
        }
        boolean empty = fresh || torn;
        for (int i = 1; i < lines.size() && !empty; i++) {
            int number = i + 1;
            String line = lines.get(i);
            inLine(number, () -> {
                Node node = Node.object(line);
                return kept.put(node.get("digest").text(), new Line(number, node.get("result")));
            });
        }
        channel.truncate(empty ? 0 : whole).position(empty ? 0 : whole);
        if (empty) {
            write(HEADER);
        }
    }

    private static boolean isHeader(String line) {
        try {
            Node node = Node.object(line);
            boolean known = node.find("format", "", Node::scalar).equals(FORMAT);
            return known && node.get("version").whole(VERSION, VERSION) == VERSION;
        } catch (DocumentException e) {
            if (line.contains(FORMAT)) {
                throw e; // a newer version
            }
            return false;
        }
    }

    /** What a line says, or what is wrong with it. */
    private static <T extends @Nullable Object> T inLine(int number, Supplier<T> said) {
        try {
            return said.get();
        } catch (DocumentException e) {
            String mend = " (delete the line, or begin again with --fresh)";
            throw new DocumentException("line " + number, e.getMessage() + mend);
        }
    }

    /**
     * What came out for a case, if it was measured.
     *
     * @param devices what the case's devices are on this machine
     * @throws DocumentException if the line is damaged
     */
    public Optional<Result> find(String digest, Case what, List<DeviceInfo> devices) {
        return find(digest, node -> result(node, what, devices));
    }

    /** What was kept under a digest, if anything was; any thread. As of the other one. */
    <T> Optional<T> find(String digest, Function<Node, T> reader) {
        Line line = kept.get(digest);
        try {
            return line == null
                    ? Optional.empty()
                    : Optional.of(inLine(line.number(), () -> reader.apply(line.result())));
        } catch (DocumentException e) {
            throw e.in(file);
        }
    }

    /** Keeps a result; it is on the disk on return. */
    public void keep(String digest, Result result) throws IOException {
        keep(digest, toMap(result));
    }

    /** Keeps what JSON can say; any thread. */
    synchronized void keep(String digest, Map<String, Object> result) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("digest", digest);
        line.put("result", result);
        write(JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(line) + "\n");
    }

    private void write(String text) throws IOException {
        for (ByteBuffer left = StandardCharsets.UTF_8.encode(text); left.hasRemaining(); ) {
            channel.write(left);
        }
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    // ---- a result as JSON ----

    /** A result as the JSON object that docs/bench.md describes. */
    static Map<String, Object> toMap(Result result) {
        Map<String, Object> map = result.what().toMap();
        map.put("items", result.items());
        map.put("flopsPerItem", result.flopsPerItem());
        map.put("devices", result.devices().stream().map(ResultsFile::device).toList());
        map.put("warmUpJobs", result.warmUpJobs());
        map.put("rounds", result.rounds());
        map.put("processes", Math.max(1, result.processes().size()));
        map.put("boundSeconds", result.boundNanos() == null ? null : result.boundNanos() / 1e9);
        map.put("bestSingle", result.bestSingle().map(Entry::name).orElse(null));
        map.put(
                "contenders",
                result.entries().stream().map(e -> contender(result, e)).toList());
        map.put("sweep", result.sweep().stream().map(ResultsFile::timed).toList());
        return map;
    }

    private static Map<String, Object> device(DeviceInfo device) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", device.id());
        map.put("name", device.name());
        map.put("type", device.kind().name().toLowerCase(Locale.ROOT));
        map.put("computeUnits", device.computeUnits());
        return map;
    }

    /** What a contender achieved, by the names that JSON and CSV have for it; figures that are not known are null. */
    static Map<String, Object> contender(Result result, Entry entry) {
        double[] nanos = entry.times();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", entry.name());
        map.put("role", Node.name(entry.role()));
        map.put("policy", entry.policy());
        map.put("shares", entry.shares());
        map.put("firstJobsSeconds", entry.first() == null ? null : entry.first().meanNanos() / 1e9);
        map.put("firstJobs", entry.first() == null ? null : firstJobs(entry.first()));
        map.put("medianSeconds", measured(entry, () -> entry.medianNanos() / 1e9));
        Estimate interval = result.median(entry);
        map.put("medianLowSeconds", interval == null ? null : interval.low() / 1e9);
        map.put("medianHighSeconds", interval == null ? null : interval.high() / 1e9);
        map.put("madSeconds", measured(entry, () -> Statistics.medianAbsoluteDeviation(nanos) / 1e9));
        map.put("lowerQuartileSeconds", measured(entry, () -> Statistics.quantile(nanos, 0.25) / 1e9));
        map.put("upperQuartileSeconds", measured(entry, () -> Statistics.quantile(nanos, 0.75) / 1e9));
        map.put("medianWallSeconds", known(entry.wallNanos() / 1e9));
        map.put("latencySeconds", known(entry.latencyNanos() / 1e9));
        map.put("itemsPerSecond", measured(entry, () -> result.itemsPerSecond(entry)));
        map.put("bytes", known(entry.bytes()));
        map.put("bytesPerSecond", measured(entry, () -> known(result.bytesPerSecond(entry))));
        Map<String, Object> ratios = new LinkedHashMap<>();
        result.yardsticks()
                .forEach((name, yardstick) -> ratios.put(
                        name,
                        measured(entry, () -> result.ratio(yardstick, entry).toMap())));
        map.put("ratios", ratios);
        map.put("efficiency", measured(entry, () -> result.efficiency(entry)));
        map.put("chunks", entry.chunks());
        map.put("stolenChunks", entry.steals());
        map.put("recovered", entry.recovered());
        map.put("explanation", entry.explanation().isEmpty() ? null : entry.explanation());
        map.put("verified", entry.verified());
        map.put("problem", entry.problem());
        map.put("seconds", entry.nanos().stream().map(n -> n / 1e9).toList());
        return map;
    }

    private static Map<String, Object> firstJobs(FirstJobs first) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("medianSeconds", first.medianNanos() / 1e9);
        map.put("excessSeconds", first.excessNanos() / 1e9);
        first.excess().forEach((part, nanos) -> map.put(part.field, nanos / 1e9));
        return map;
    }

    /** Null where there were none, or the file is older. */
    private static @Nullable FirstJobs firstJobs(Node contender) {
        double mean = 1e9 * figure(contender, "firstJobsSeconds");
        return contender.<@Nullable FirstJobs>find("firstJobs", null, node -> {
            Map<Part, Double> excess = new EnumMap<>(Part.class);
            for (Part part : Part.values()) {
                excess.put(part, 1e9 * node.get(part.field).number(-1e300, 1e300));
            }
            return new FirstJobs(mean, 1e9 * figure(node, "medianSeconds"), excess);
        });
    }

    private static @Nullable Object measured(Entry entry, Supplier<? extends @Nullable Object> figure) {
        return entry.measured() ? figure.get() : null;
    }

    private static @Nullable Double known(double value) {
        return value == 0 ? null : value;
    }

    private static Map<String, Object> timed(Timed timed) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("split", timed.split());
        map.put("shares", timed.shares());
        map.put("medianSeconds", timed.medianNanos() / 1e9);
        map.put("rounds", timed.rounds());
        return map;
    }

    /**
     * The result that an object describes.
     *
     * @param what what was measured
     * @param devices the devices that this means on this machine
     * @throws DocumentException if the object is no result of it
     */
    static Result result(Node object, Case what, List<DeviceInfo> devices) {
        return new Result(
                what,
                object.get("items").whole(1, Long.MAX_VALUE),
                figure(object, "flopsPerItem"),
                devices,
                (int) object.get("rounds").whole(1, PlanReader.MOST_ROUNDS),
                object.get("warmUpJobs").whole(0, Long.MAX_VALUE),
                object.get("contenders").list(1, MOST, ResultsFile::entry),
                object.get("sweep").list(0, MOST, ResultsFile::timed));
    }

    private static Entry entry(Node contender) {
        return new Entry(
                contender.get("name").text(),
                contender.get("role").constant(Role.class),
                contender.<@Nullable String>find("policy", null, Node::text),
                firstJobs(contender),
                numbers(contender, "seconds").stream().map(s -> 1e9 * s).toList(),
                1e9 * figure(contender, "medianWallSeconds"),
                figure(contender, "bytes"),
                1e9 * figure(contender, "latencySeconds"),
                numbers(contender, "shares"),
                figure(contender, "chunks"),
                figure(contender, "stolenChunks"),
                contender.get("recovered").list(0, MOST, Node::text),
                contender.find("explanation", "", Node::text),
                contender.<@Nullable Boolean>find("verified", null, Node::flag),
                contender.<@Nullable String>find("problem", null, Node::text));
    }

    /** 0 where it is not known. */
    private static double figure(Node object, String name) {
        return object.find(name, 0.0, n -> n.number(0, Double.MAX_VALUE / 1e9));
    }

    private static List<Double> numbers(Node object, String name) {
        return object.get(name).list(0, PlanReader.MOST_ROUNDS, n -> n.number(0, 1e300));
    }

    private static Timed timed(Node split) {
        return new Timed(
                numbers(split, "split"),
                numbers(split, "shares"),
                Math.rint(1e9 * figure(split, "medianSeconds")),
                (int) split.get("rounds").whole(1, PlanReader.MOST_ROUNDS));
    }
}
