package dev.evener.kernels.png;

import dev.evener.LongTests;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.png.PngCase.Kind;
import dev.evener.kernels.png.PngEncoder.Colour;
import java.util.ArrayList;
import java.util.List;

/** Pictures that an interpreter of kernels gets through in seconds. */
public final class SmallPictures {
    /** Oclgrind knows no intrinsic for the magnitudes of vectors, which compilers make of shifts. */
    private static final String AS_WRITTEN = "-cl-opt-disable";

    private SmallPictures() {}

    /** Both forms, with rows about a segment and more than a block of them; in groups, which take longest, in one picture. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (boolean groups : new boolean[] {false, true}) {
            cases.add(new PngCase(
                    Colour.SRGB, Kind.BLACK, 1, groups ? LongTests.orAll(4, 34) : 34, 0, groups, AS_WRITTEN));
            cases.add(new PngCase(Colour.SRGB, Kind.NOISE, 35, 3, 0, groups, AS_WRITTEN));
            cases.add(
                    groups && !LongTests.ASKED_FOR
                            ? new PngCase(Colour.SRGB, Kind.BLOCKS, 20, 33, 1, true, AS_WRITTEN)
                            : new PngCase(Colour.SRGB, Kind.BLOCKS, 70, 40, 1, groups, AS_WRITTEN));
            cases.add(new PngCase(Colour.HLG, Kind.NOISE, 19, 3, 1, groups, AS_WRITTEN));
        }
        return cases;
    }
}
