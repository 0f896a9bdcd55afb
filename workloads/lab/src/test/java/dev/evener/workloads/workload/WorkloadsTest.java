package dev.evener.workloads.workload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.Report;
import dev.evener.SmallSegments;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every workload is right on every kind of device and set of them, however it is cut; and its check can tell. */
@InTurn(2)
class WorkloadsTest {
    /** One item, less than any vector or group, and sizes that nothing divides. */
    private static final long[] SIZES = {1, 15, 1000, 37_111};

    static Stream<Workload> all() {
        return Workloads.all().stream();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"0.0;1", "0.1;1", "1.0;1", "jvm;1", "0.0,0.1;2", "0.1,1.0;2", "0.0,0.1,1.0,jvm;4"})
    void everySplitIsRight(String devices, int lanes) {
        try (Evener evener = open(devices, true)) {
            check(evener, lanes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.0,0.1"})
    void transfersAreRight(String devices) {
        try (Evener evener = open(devices, false)) {
            check(evener, devices.split(",", -1).length);
        }
    }

    /** Its check allows for rounding, but its sums are to be the same everywhere. */
    @Test
    void bodiesAreAcceleratedAlikeEverywhere() {
        Workload nbody = Workloads.named("nbody");
        Set<ByteBuffer> results = new HashSet<>();
        for (String devices : List.of("0.0", "0.1", "1.0", "jvm", "0.0,0.1,1.0,jvm")) {
            try (Evener evener = open(devices, true);
                    PreparedWorkload prepared = nbody.prepare(evener, Request.synthetic(nbody, 3001, 7))) {
                evener.submit(prepared.job(), Policies.guided()).join();
                ByteBuffer bytes = ByteBuffer.allocate(3001 * 4 * Float.BYTES);
                for (Argument argument :
                        JobSpec.of(prepared.job()).phases().get(0).arguments()) {
                    if (argument instanceof Argument.Buffer b && b.written()) {
                        bytes.put(b.buffer().segment(0));
                    }
                }
                results.add(bytes.flip());
            }
        }
        assertEquals(1, results.size());
        assertEquals(3001 * 4 * Float.BYTES, results.iterator().next().limit());
    }

    /** Those whose kernels are here: the primitives are tested where theirs are. */
    private static List<Workload> withOwnKernels() {
        return Stream.of("tonemap", "sum", "mandelbrot", "fma", "saxpy", "nbody")
                .map(Workloads::named)
                .toList();
    }

    @Test
    void everyDistributionIsRight() {
        try (Evener evener = open("0.0,0.1", true)) { // one, as its kernels are built once
            for (Distribution distribution : LongTests.inTurn(4, List.of(Distribution.values()))) {
                for (Workload workload : Workloads.all()) {
                    Request request = Request.synthetic(workload, Values.defaults(workload), 9000, distribution, 3);
                    try (PreparedWorkload prepared = workload.prepare(evener, request)) {
                        evener.submit(prepared.job(), Policies.fixed(0.3, 0.7)).join();
                        assertNull(prepared.mismatch(), () -> workload.name() + " " + distribution);
                    }
                }
            }
        }
    }

    private static void check(Evener evener, int lanes) {
        for (Workload workload : withOwnKernels()) {
            for (long each : SIZES) {
                long bodies = Math.min((each + 9) / 10, LongTests.orAll(1237, 3712)); // work grows with the square
                long size = workload.name().equals("nbody") ? bodies : each;
                try (PreparedWorkload prepared = workload.prepare(evener, Request.synthetic(workload, size, 7))) {
                    assertTrue(prepared.items() >= size);
                    for (Policy policy : policies(lanes)) {
                        prepared.reset();
                        evener.submit(prepared.job(), policy).join();
                        assertNull(prepared.mismatch(), () -> workload.name() + " of " + size + " by " + policy);
                    }
                }
            }
        }
    }

    private static List<Policy> policies(int lanes) {
        List<String> names = LongTests.inTurn(Policies.names().size() / 2, Policies.names());
        List<Policy> policies =
                new ArrayList<>(names.stream().map(Policies::named).toList());
        double[] uneven = new double[lanes];
        Arrays.setAll(uneven, lane -> lane + 0.3);
        policies.add(Policies.fixed(uneven));
        policies.add(Policies.single(lanes - 1));
        return policies;
    }

    /** Every parameter of every workload, at values that differ in kind, on data that differ in kind. */
    private static List<String> settings() {
        List<String> all = new ArrayList<>();
        for (String type : List.of("uint", "int", "long", "float")) {
            for (String operation : List.of("add", "min", "max")) {
                all.add("scan type=" + type + " operation=" + operation + " kind="
                        + (operation.equals("min") ? "exclusive" : "inclusive"));
            }
            for (String operation : List.of("sum", "min", "max", "arg-min", "arg-max")) {
                all.add("reduce type=" + type + " operation=" + operation);
            }
        }
        all.add("reduce operation=wide-sum");
        for (String each : List.of("sum", "reduce", "scan", "histogram")) {
            all.add(each + " resident=true");
        }
        for (String type : List.of("uint", "int", "long", "float")) {
            all.add("compact comparison=less type=" + type);
            all.add("compact comparison=greater-or-equal type=" + type + " constant="
                    + (type.equals("float") ? "0.25" : "7"));
        }
        all.addAll(List.of("compact comparison=equal constant=0", "compact comparison=not-equal constant=0"));
        for (String type : List.of("uint", "int", "float", "ulong", "long", "double")) {
            all.add("sort type=" + type);
            all.add("sort pairs=true type=" + type);
        }
        for (String type : List.of("uchar", "ushort", "uint", "float")) {
            all.add("histogram type=" + type);
            all.add("histogram bins=1000 low=0 high=" + (type.equals("float") ? "0.5" : "200") + " type=" + type);
        }
        for (String step : List.of("item-per-group", "local-copy", "tree", "fewer-iterations")) {
            all.add("reduce-steps step=" + step);
            all.add("reduce-steps second-pass=host step=" + step);
        }
        all.addAll(List.of("rgb-histogram style=atomics bins=100", "rgb-histogram style=private bins=3"));
        for (String style : List.of("runs", "naive", "blelloch")) {
            all.add("segmented-scan segment=7 group=16 style=" + style);
        }
        all.add("segmented-scan segment=1000 type=float kind=exclusive");
        all.addAll(List.of(
                "vector-add type=int",
                "gradient width=33",
                "canny width=77 low=120 high=200",
                "harris width=91 radius=2",
                "tonemap width=17"));
        all.addAll(List.of("matmul inner=5 columns=3", "matmul inner=70", "mandelbrot limit=12"));
        return all;
    }

    /** A workload's name, and what is set about it. */
    private static Request request(String words, long items) {
        List<String> all = List.of(words.split(" ", -1));
        Workload workload = Workloads.named(all.get(0));
        Map<String, String> set = new TreeMap<>();
        all.stream().skip(1).forEach(word -> set.put(word.split("=", -1)[0], word.split("=", -1)[1]));
        return Request.synthetic(workload, Values.of(workload, set), items, Distribution.SKEWED, 5);
    }

    /** Half of the job runs in Java: kernels are as many as settings, and PoCL builds each again for a second driver. */
    private static List<String> devicesOfSettings() {
        return LongTests.ASKED_FOR ? List.of("0.0,0.1", "jvm") : List.of("0.0,jvm");
    }

    @ParameterizedTest
    @MethodSource("devicesOfSettings")
    void everySettingIsRight(String devices) {
        try (Evener evener = open(devices, true)) {
            for (String words : LongTests.inTurn(6, settings())) {
                Request request = request(words, 30_011);
                try (PreparedWorkload prepared = request.workload().prepare(evener, request)) {
                    prepared.reset();
                    evener.submit(prepared.job(), Policies.fixed()).join();
                    assertNull(prepared.mismatch(), words);
                    assertTrue(prepared.bytesPerItem() > 0 && prepared.flopsPerItem() >= 0);
                    prepared.reset();
                    assertNotNull(prepared.mismatch(), words);
                }
            }
        }
    }

    /** A check that took anything for right would prove nothing above. */
    @ParameterizedTest
    @MethodSource("all")
    void aJobThatDidNotRunIsFoundOut(Workload workload) {
        try (Evener evener = open("0.0", true);
                PreparedWorkload prepared = workload.prepare(evener, Request.synthetic(workload, 5000, 3))) {
            assertNotNull(prepared.mismatch(), "before the first run");
            evener.submit(prepared.job()).join();
            assertNull(prepared.mismatch());
            prepared.reset();
            String mismatch = prepared.mismatch();
            assertNotNull(mismatch, "after a reset");
            assertFalse(mismatch.isBlank());
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatIsPreparedIsReleased(Workload workload) {
        try (Evener evener = open("jvm", true)) {
            PreparedWorkload prepared = workload.prepare(evener, Request.synthetic(workload, 100, 1));
            assertSame(prepared.job(), prepared.job());
            prepared.close();
            prepared.close();
            var future = evener.submit(prepared.job());
            Throwable cause = assertThrows(RuntimeException.class, future::join).getCause();
            assertTrue(cause instanceof EvenerException && cause.getMessage().contains("closed"), cause::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyWorkloadSaysWhatItIs(Workload workload) {
        Workload.About about = workload.about();
        assertTrue(workload.name().matches("[a-z0-9-]+"));
        for (String text : List.of(about.description(), about.item(), about.unit(), about.output())) {
            assertFalse(text.isBlank() || text.endsWith(".") || text.contains("\n"), text);
        }
        List<Long> sizes = about.defaultSizes();
        assertEquals(sizes.stream().sorted().distinct().toList(), sizes);
        Values defaults = Values.defaults(workload);
        assertTrue(sizes.stream().allMatch(size -> size >= 1 && size <= workload.mostItems(defaults)));
        for (Parameter<?> parameter : workload.parameters()) {
            assertTrue(parameter.name().matches("[a-z0-9-]+"), parameter.name());
            assertEquals(parameter.otherwise(), parameter.parse(parameter.otherwiseText()));
            assertFalse(
                    parameter.description().isBlank() || parameter.description().endsWith("."));
        }
        assertSame(workload, Workloads.named(workload.name()));
        assertSame(workload, Workloads.named(workload.name().toUpperCase(java.util.Locale.ROOT)));
    }

    @ParameterizedTest
    @EnumSource(dev.evener.kernels.tuning.Parameter.class)
    void oneWorkloadTriesWhatIsTuned(dev.evener.kernels.tuning.Parameter parameter) {
        for (long items : List.of(1L << 20, 16L << 20)) { // of quick trials, and of the largest
            List<Request> trials = Workloads.all().stream()
                    .flatMap(workload -> workload.trials(parameter.primitive(), items))
                    .toList();
            assertEquals(1, trials.stream().map(Request::workload).distinct().count());
            assertEquals(trials.size(), trials.stream().distinct().count());
        }
    }

    @Test
    void anUnknownNameIsAnsweredWithThoseThereAre() {
        String message = assertThrows(IllegalArgumentException.class, () -> Workloads.named("sun"))
                .getMessage();
        assertTrue(message.contains("'sun'") && message.contains(Workloads.names()), message);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 16, 17, 256, 257, 1000, 16 << 10, 524288, 524289, 1L << 31})
    void imagesHoldThePixelsAskedForAndAtMostARowMore(long pixels) {
        ImageShape shape = ImageShape.of(pixels);
        assertTrue(shape.pixels() >= pixels && shape.pixels() - pixels < shape.width());
        assertEquals(0, shape.width() % 16);
        assertTrue(shape.height() <= shape.width());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sum", "reduce", "scan", "histogram"})
    void whatIsResidentIsSentOnce(String name) {
        try (Evener evener = open("0.0", false)) {
            for (boolean resident : new boolean[] {true, false}) {
                Request request = request(name + " resident=" + resident, 100_000);
                try (PreparedWorkload prepared = request.workload().prepare(evener, request)) {
                    evener.submit(prepared.job()).join();
                    prepared.reset();
                    Report again = evener.submit(prepared.job()).join();
                    assertNull(prepared.mismatch());
                    assertEquals(!resident, again.devices().get(0).bytesIn() >= 100_000, again.toString());
                }
            }
        }
    }

    @Test
    void whatOneSegmentDoesNotHoldIsTheSameInSeveral() throws IOException {
        List<String> settings = List.of(
                "sum",
                "histogram",
                "histogram type=float bins=100",
                "scan",
                "scan type=int kind=exclusive operation=max");
        List<Policy> whole = List.of(Policies.fixed());
        List<Policy> cut = List.of(Policies.fixed(0.3, 1.3), Policies.stealing(), Policies.single(1));
        try (Evener small =
                        SmallSegments.of(512 << 10, builder("0.0,0.1", true)).open();
                Evener usual = open("0.0,0.1", true)) {
            for (String setting : settings) {
                assertArrayEquals(output(usual, setting, whole), output(small, setting, cut), setting);
            }
        }
    }

    private static byte[] output(Evener evener, String setting, List<Policy> policies) throws IOException {
        Request request = request(setting, 300_000); // in three segments of 512 KiB
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PreparedWorkload prepared = request.workload().prepare(evener, request)) {
            for (Policy policy : policies) {
                prepared.reset();
                assertNotNull(prepared.mismatch(), setting);
                evener.submit(prepared.job(), policy).join();
                assertNull(prepared.mismatch(), setting);
            }
            prepared.output().writeTo(Channels.newChannel(bytes));
        }
        return bytes.toByteArray();
    }

    private static Evener open(String devices, boolean sharing) {
        return builder(devices, sharing).open();
    }

    private static EvenerBuilder builder(String devices, boolean sharing) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .sharedMemory(sharing);
    }
}
