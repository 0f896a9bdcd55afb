package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.png.PngEncoder;
import dev.evener.kernels.png.PngEncoder.Colour;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Several frames in one job have the files that each has in a job of its own, however it is split: their own exposure, filters that do not
 * look at the picture above, blocks and sums. One whose code is cut or damaged touches no other.
 */
class SharedJobTest extends GroupedConformance {
    @Override
    protected List<PrimitiveCase> cases(boolean groups) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (Operator operator : List.of(Operator.REINHARD_EXTENDED, Operator.HABLE)) {
            cases.add(new Shared(operator, 40, 32, 3, -1, groups));
            cases.add(new Shared(operator, 9, 64, 5, operator == Operator.HABLE ? 0 : 2, groups));
        }
        return cases;
    }

    @Test
    void whatCannotShareIsRefused() {
        try (Evener evener = Evener.open();
                ToneMapper mapper = new ToneMapper(evener::allocate);
                PngEncoder encoder = new PngEncoder(evener::allocate);
                HostBuffer bytes = evener.allocate(ElementType.UBYTE, 1 << 20);
                HostBuffer words = evener.allocate(ElementType.UINT, 1 << 20)) {
            RunLengths two = new RunLengths(bytes, 100, words, 2);
            FrameLayout layout = new FrameLayout(16, 32);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> mapper.describe(
                            layout,
                            layout,
                            PixelCoding.rgbe(1, List.of()).inPlanes(),
                            two,
                            words,
                            words,
                            ToneMapSettings.of(Operator.GUIDED),
                            1));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> encoder.addTo(Job.named("odd").units(66), Colour.SRGB, 16, 33, 16, 2, words, bytes));
        }
    }

    /**
     * So many frames, each darker than the one before.
     *
     * @param damaged the one that lacks its last bytes, or -1
     */
    record Shared(Operator operator, int width, int height, int frames, int damaged, boolean groups)
            implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        private FrameLayout layout() {
            return new FrameLayout(width, height);
        }

        private byte[] code(int frame) {
            Random random = new Random(frame);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (int row = 0; row < height; row++) {
                out.writeBytes(new byte[] {2, 2, (byte) (width >> 8), (byte) width});
                for (int component = 0; component < 4; component++) {
                    int run = random.nextInt(2, width - 1);
                    out.writeBytes(new byte[] {(byte) (128 + run), (byte) (component < 3 ? 128 : 130 - 2 * frame)});
                    out.write(width - run);
                    for (int x = run; x < width; x++) {
                        out.write(component < 3 ? random.nextInt(128, 256) : 130 - 2 * frame + random.nextInt(4));
                    }
                }
            }
            byte[] code = out.toByteArray();
            return frame == damaged ? Arrays.copyOf(code, code.length - 1) : code;
        }

        /** The files of these frames, which one job makes; of one with lost rows null. */
        private List<byte[]> files(Evener evener, Policy policy, List<byte[]> codes) throws IOException {
            int count = codes.size();
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            int[] ends = new int[count];
            for (int i = 0; i < count; i++) {
                all.writeBytes(codes.get(i));
                ends[i] = all.size();
            }
            byte[] code = all.toByteArray();
            FrameLayout layout = layout();
            PixelCoding coding = PixelCoding.rgbe(1, List.of()).inPlanes();
            long rows = (long) count * height;
            int behind = RunLengths.ends(code.length);
            long most = count * Colour.SRGB.mostBytes(width, height);
            try (HostBuffer coded = evener.allocate(ElementType.UBYTE, behind + 4L * count);
                    HostBuffer lost = evener.allocate(ElementType.UINT, rows);
                    HostBuffer frame = evener.allocate(ElementType.UINT, layout.stride() * rows);
                    HostBuffer pixels = evener.allocate(ElementType.UINT, layout.stride() * rows);
                    DataBuffer out = groups
                            ? evener.allocateManaged(ElementType.UBYTE, most)
                            : evener.allocate(ElementType.UBYTE, most);
                    ToneMapper mapper = new ToneMapper(evener::allocate, Tuning.defaults());
                    PngEncoder encoder = new PngEncoder(evener::allocate)) {
                coded.bytes().put(code);
                for (int i = 0; i < count; i++) {
                    coded.bytes().putInt(behind + 4 * i, ends[i]);
                }
                RunLengths runs = new RunLengths(coded, code.length, lost, count);
                JobBuilder job =
                        mapper.describe(layout, layout, coding, runs, frame, pixels, ToneMapSettings.of(operator), 1);
                encoder.addTo(job, Colour.SRGB, width, height, layout.stride(), count, pixels, out);
                evener.submit(GpuForms.job(groups, job.build()), policy).join();
                BitSet whole = runs.areWhole(layout);
                assertEquals(whole.cardinality() == count, runs.isWhole(layout));
                List<byte[]> files = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    ByteArrayOutputStream file = new ByteArrayOutputStream();
                    encoder.write(Channels.newChannel(file), i, List.of(Colour.SRGB.chunk()));
                    files.add(whole.get(i) ? file.toByteArray() : new byte[0]);
                }
                return files;
            }
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            try {
                List<byte[]> codes = new ArrayList<>();
                for (int i = 0; i < frames; i++) {
                    codes.add(code(i));
                }
                List<byte[]> files = files(evener, policy, codes);
                ByteArrayOutputStream all = new ByteArrayOutputStream();
                for (int i = 0; i < frames; i++) {
                    assertArrayEquals(
                            files(evener, policy, List.of(codes.get(i))).get(0), files.get(i), name() + i);
                    all.writeBytes(files.get(i));
                }
                return all.toByteArray();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void check(Object output) {
            byte[] all = (byte[]) output;
            byte[] end = {'I', 'E', 'N', 'D'};
            int files = 0;
            for (int at = 0; at + 4 <= all.length; at++) {
                files += Arrays.equals(all, at, at + 4, end, 0, 4) ? 1 : 0;
            }
            assertEquals(damaged < 0 ? frames : frames - 1, files, "the others are there");
        }
    }
}
