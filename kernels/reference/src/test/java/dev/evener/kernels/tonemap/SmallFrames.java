package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.TestBuffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Frames that an interpreter of kernels gets through in seconds. */
public final class SmallFrames {
    private SmallFrames() {}

    /** Every operator with its statistics, and run-length code, in both forms. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (boolean asGpu : new boolean[] {false, true}) {
            for (Operator operator : Operator.values()) {
                cases.add(new Case(ToneMapSettings.of(operator), new FrameLayout(33, 5), null, asGpu));
                if (operator.isLocal()) {
                    ToneMapSettings around = ToneMapSettings.of(operator).withWrap(true);
                    cases.add(new Case(around, new FrameLayout(33, 5), null, asGpu));
                }
            }
            for (PictureRows.Layout layout : PictureRows.Layout.values()) {
                cases.add(new RowsCase(layout, layout == PictureRows.Layout.RGBA16, 21, 5, asGpu));
            }
            for (RunLengthsTest.Writer writer : RunLengthsTest.Writer.values()) {
                cases.add(new RunLengthsTest.Coded(writer, 300, 3, asGpu));
            }
            cases.add(ResizeConformanceTest.small(asGpu));
            cases.add(AlphaConformanceTest.small(asGpu));
            for (Look look : LookTest.looks()) {
                ToneMapSettings looked = ToneMapSettings.of(Operator.ACES).withLook(look);
                cases.add(new Case(looked, new FrameLayout(33, 5), null, asGpu));
            }
            cases.add(new Case(ToneMapSettings.of(Operator.REINHARD), new FrameLayout(1, 1), null, asGpu));
            cases.add(new Case(ToneMapSettings.of(Operator.REINHARD), new FrameLayout(16, 40), null, asGpu));
            cases.add(new Case(
                    ToneMapSettings.of(Operator.DRAGO), new FrameLayout(33, 5), PixelCoding.rgbe(0.7, MATRIX), asGpu));
            cases.add(new Case(
                    ToneMapSettings.of(Operator.REINHARD),
                    new FrameLayout(33, 5),
                    PixelCoding.FLOATS.in(Primaries.parse("acescg").toRec709()),
                    asGpu));
            cases.add(new Case(
                    ToneMapSettings.of(Operator.GUIDED),
                    new FrameLayout(33, 5),
                    PixelCoding.rgbe(0.7, MATRIX).inPlanes(),
                    asGpu));
        }
        return cases;
    }

    /** What GPUs run of local operators: rows of several groups, more of them than filters reach. */
    static List<PrimitiveCase> inGroups() {
        return List.of(
                new Case(ToneMapSettings.of(Operator.GUIDED), new FrameLayout(1100, 40), null, true),
                new Case(ToneMapSettings.of(Operator.REINHARD_LOCAL), new FrameLayout(300, 90), null, true));
    }

    private static final List<Float> MATRIX = List.of(1f, 0.5f, 0f, 0f, 1f, 0f, 0.1f, 0f, 0.8f);

    private record Case(
            ToneMapSettings settings,
            FrameLayout layout,
            @Nullable PixelCoding given,
            boolean asGpu) implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        private HostBuffer source() {
            if (given == null) {
                return Frames.special(layout, 7);
            }
            HostBuffer floats = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
            given.expand(layout, coded().bytes(), floats.floats());
            return floats;
        }

        private PixelCoding coding() {
            return given == null ? PixelCoding.FLOATS : given;
        }

        private HostBuffer coded() {
            return coding().type() == ElementType.FLOAT ? Frames.special(layout, 7) : Frames.coded(layout, 7);
        }

        @Override
        public int[] run(Evener evener, Policy policy) {
            try (ToneMapper mapper = new ToneMapper(evener::allocate);
                    HostBuffer frame = evener.allocate(coding().type(), coding().elements(layout));
                    HostBuffer pixels = evener.allocate(ElementType.UINT, Frames.words(layout, settings.operator()))) {
                frame.bytes().put(coded().bytes());
                Job job = mapper.describe(
                                layout,
                                layout,
                                coding(),
                                null,
                                frame,
                                pixels,
                                settings,
                                settings.operator().words())
                        .build();
                evener.submit(GpuForms.job(asGpu, job), policy).join();
                int[] words = new int[Frames.words(layout, settings.operator())];
                pixels.ints().get(words);
                return words;
            }
        }

        @Override
        public void check(Object output) {
            byte[] expected = ToneMapReference.map(source().floats(), layout, settings);
            ToneMapReference.Difference difference =
                    ToneMapReference.compare(expected, IntBuffer.wrap((int[]) output), layout);
            if (difference.largest() > 1) {
                throw new AssertionError(difference.toString());
            }
        }
    }
}
