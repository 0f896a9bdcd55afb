package dev.evener.workloads.experiment;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.DeviceVariants;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.sort.RadixSort;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.kernels.tuning.Tuning;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** What is measured on data that lies on the device; {@code cub.cu} has cases of the same names. Stateless. */
final class ResidentCases {
    /** All cases. */
    static final List<String> NAMES = List.of(
            "copy",
            "read",
            "scan-uint32",
            "reduce-uint32",
            "histogram-bytes-uniform",
            "histogram-bytes-constant",
            "histogram-bytes-skewed",
            "histogram-uint32-256",
            "histogram-uint32-4096",
            "histogram-uint32-65536",
            "sort-uint32",
            "tonemap-reinhard",
            "tonemap-aces");

    private static final KernelSource MEMORY = KernelSource.resource(Yardsticks.class, "memory.cl");
    private static final int UNIT = 4096;
    private static final int WORDS = 1 << 28;
    private static final int KEYS = 1 << 26;
    private static final int BYTES = 1 << 30;
    private static final int WIDTH = 8192;
    private static final int HEIGHT = 4096;
    private static final int PIECE = 1 << 20;

    private ResidentCases() {}

    /**
     * Makes a case and its data.
     *
     * @param part of the full size
     * @throws IllegalArgumentException if there is none of that name
     */
    static ResidentCase open(String name, Evener evener, double part) {
        Data data = new Data(evener);
        try {
            String[] words = name.split("-", -1);
            return switch (words[0]) {
                case "copy", "read" -> memory(data, name, size(WORDS, part));
                case "scan" -> scan(data, size(WORDS, part));
                case "reduce" -> reduce(data, size(WORDS, part));
                case "histogram" ->
                    words[1].equals("bytes")
                            ? byteHistogram(data, words[2], size(BYTES, part))
                            : wordHistogram(data, Integer.parseInt(words[2]), size(WORDS, part));
                case "sort" -> sort(data, size(KEYS, part));
                case "tonemap" ->
                    toneMap(data, Operator.valueOf(words[1].toUpperCase(Locale.ROOT)), Math.max(1, (int)
                            (HEIGHT * part)));
                default -> throw new IllegalArgumentException("no such case: " + name);
            };
        } catch (RuntimeException | Error e) {
            data.close();
            throw e;
        }
    }

    private static int size(int full, double part) {
        return Math.max(1, (int) (full * part / UNIT)) * UNIT;
    }

    private static ResidentCase memory(Data data, String name, int n) {
        HostBuffer in = data.words(n);
        boolean copy = name.equals("copy");
        HostBuffer out = data.allocate(ElementType.UINT, copy ? n : n / UNIT);
        String kernel = copy ? "copy" : "read_all";
        return new Made(
                data,
                "GB/s",
                copy ? 8.0 * n : 4.0 * n,
                false,
                tuning -> {
                    Job.Builder job =
                            Job.named(name).source(MEMORY).units(n / UNIT).kernel(kernel);
                    return DeviceVariants.add(job, Variant.itemsPerUnit(1, 1), Variant.itemsPerUnit(256, 256))
                            .reads(in, slice(UNIT))
                            .writes(out, slice(copy ? UNIT : 1))
                            .build();
                },
                () -> copy && in.bytes().mismatch(out.bytes()) != -1);
    }

    private static ResidentCase scan(Data data, int n) {
        HostBuffer in = data.words(n);
        HostBuffer out = data.allocate(ElementType.UINT, n);
        return new Made(
                data,
                "GB/s",
                8.0 * n,
                true,
                tuning -> new Scan(data::allocate, tuning)
                        .job(ScanKind.EXCLUSIVE, dev.evener.kernels.scan.Operation.ADD, in, out),
                () -> {
                    ByteBuffer from = in.bytes();
                    ByteBuffer to = out.bytes();
                    int sum = 0;
                    for (int i = 0; i < n; i++) {
                        if (to.getInt(4 * i) != sum) {
                            return true;
                        }
                        sum += from.getInt(4 * i);
                    }
                    return false;
                });
    }

    private static ResidentCase reduce(Data data, int n) {
        HostBuffer in = data.words(n);
        HostBuffer out = data.allocate(Operation.SUM.result(ElementType.UINT), 1);
        return new Made(
                data, "GB/s", 4.0 * n, false, tuning -> new Reduce(data::allocate).job(Operation.SUM, in, out), () -> {
                    ByteBuffer from = in.bytes();
                    long sum = 0;
                    for (int i = 0; i < n; i++) {
                        sum += from.getInt(4 * i) & 0xffffffffL;
                    }
                    return out.byteSize() == Long.BYTES
                            ? out.bytes().getLong(0) != sum
                            : out.bytes().getInt(0) != (int) sum;
                });
    }

    private static ResidentCase byteHistogram(Data data, String distribution, int n) {
        HostBuffer in = data.bytes(n, distribution);
        return histogram(data, in, n, n, Bins.even(256, 0, 256), i -> in.bytes().get(i) & 255);
    }

    private static ResidentCase wordHistogram(Data data, int bins, int n) {
        HostBuffer in = data.words(n);
        ByteBuffer bytes = in.bytes();
        int shift = 32 - Integer.numberOfTrailingZeros(bins);
        return histogram(data, in, n, 4.0 * n, Bins.even(bins, 0, 1L << 32), i -> bytes.getInt(4 * i) >>> shift);
    }

    private static ResidentCase histogram(
            Data data, HostBuffer in, int n, double scale, Bins bins, IntUnaryOperator binOf) {
        HostBuffer counts = data.allocate(ElementType.UINT, bins.count());
        int[][] expected = new int[1][];
        return new Made(
                data,
                "GB/s",
                scale,
                true,
                tuning -> new Histogram(data::allocate, tuning).job(bins, in, counts),
                () -> {
                    if (expected[0] == null) {
                        expected[0] = new int[bins.count()];
                        for (int i = 0; i < n; i++) {
                            expected[0][binOf.applyAsInt(i)]++;
                        }
                    }
                    int[] found = new int[bins.count()];
                    counts.ints().get(found);
                    return !Arrays.equals(expected[0], found);
                });
    }

    private static ResidentCase sort(Data data, int n) {
        HostBuffer in = data.words(n);
        HostBuffer out = data.allocate(ElementType.UINT, n);
        int[][] expected = new int[1][];
        return new Made(data, "Gkeys/s", n, true, tuning -> new RadixSort(data::allocate, tuning).job(in, out), () -> {
            if (expected[0] == null) {
                int[] keys = new int[n];
                for (int i = 0; i < n; i++) {
                    keys[i] = in.bytes().getInt(4 * i) ^ Integer.MIN_VALUE;
                }
                Arrays.parallelSort(keys);
                expected[0] = keys;
            }
            ByteBuffer sorted = out.bytes();
            for (int i = 0; i < n; i++) {
                if ((sorted.getInt(4 * i) ^ Integer.MIN_VALUE) != expected[0][i]) {
                    return true;
                }
            }
            return false;
        });
    }

    private static ResidentCase toneMap(Data data, Operator operator, int height) {
        FrameLayout layout = new FrameLayout(WIDTH, height);
        HostBuffer frame = data.allocate(ElementType.FLOAT, layout.floats()).keepOnDevices();
        HostBuffer pixels = data.allocate(ElementType.UINT, layout.words());
        ByteBuffer floats = frame.bytes();
        data.inPieces(
                layout.floats(),
                (random, i) -> floats.putFloat(
                        4 * i, Float.intBitsToFloat(((119 + random.nextInt(16)) << 23) | random.nextInt(1 << 23))));
        frame.hostChanged();
        ToneMapSettings settings = ToneMapSettings.of(operator).withExposure(0);
        return new Made(
                data,
                "GB/s",
                16.0 * WIDTH * height,
                true,
                tuning -> new ToneMapper(data::allocate, tuning).job(layout, frame, pixels, settings),
                () -> false); // its bits are compared by run --verify
    }

    /** A case from its parts. */
    private record Made(
            Data data, String unit, double scale, boolean tuned, Function<Tuning, Job> jobs, BooleanSupplier wrong)
            implements ResidentCase {

        @Override
        public Job job(Tuning tuning) {
            return jobs.apply(tuning);
        }

        @Override
        public boolean problem() {
            return wrong.getAsBoolean();
        }

        @Override
        public void close() {
            data.close();
        }
    }

    /** Buffers, those of the primitives included, so that releasing them releases everything. */
    private static final class Data implements AutoCloseable {
        private final Evener evener;
        private final List<HostBuffer> buffers = new ArrayList<>();

        Data(Evener evener) {
            this.evener = evener;
        }

        HostBuffer allocate(ElementType type, long elements) {
            HostBuffer buffer = evener.allocate(type, elements);
            buffers.add(buffer);
            return buffer;
        }

        HostBuffer words(int n) {
            HostBuffer buffer = allocate(ElementType.UINT, n).keepOnDevices();
            ByteBuffer bytes = buffer.bytes();
            inPieces(n, (random, i) -> bytes.putInt(4 * i, random.nextInt()));
            buffer.hostChanged();
            return buffer;
        }

        HostBuffer bytes(int n, String distribution) {
            HostBuffer buffer = allocate(ElementType.UBYTE, n).keepOnDevices();
            ByteBuffer bytes = buffer.bytes();
            Fill fill = switch (distribution) {
                case "constant" -> (random, i) -> bytes.put(i, (byte) 7);
                case "skewed" -> (random, i) -> bytes.put(i, (byte) (random.nextInt(10) > 0 ? 7 : random.nextInt()));
                default -> (random, i) -> bytes.put(i, (byte) random.nextInt());
            };
            inPieces(n, fill);
            buffer.hostChanged();
            return buffer;
        }

        /** Writes element {@code i}. */
        interface Fill {
            void at(SplittableRandom random, int i);
        }

        void inPieces(long n, Fill fill) {
            IntStream.range(0, (int) ((n + PIECE - 1) / PIECE)).parallel().forEach(piece -> {
                SplittableRandom random = new SplittableRandom(piece);
                int end = (int) Math.min(n, (piece + 1L) * PIECE);
                for (int i = piece * PIECE; i < end; i++) {
                    fill.at(random, i);
                }
            });
        }

        @Override
        public void close() {
            buffers.forEach(HostBuffer::close);
        }
    }
}
