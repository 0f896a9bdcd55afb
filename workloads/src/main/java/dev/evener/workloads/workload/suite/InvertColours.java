package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.map.ColourInversion;
import dev.evener.kernels.map.MapReference;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;

/** Colours of 8 bits a component, inverted. */
final class InvertColours extends Workload {
    InvertColours() {
        super("invert", "colours of RGBA pixels, inverted");
        items("pixel", "pixel", 64L << 10, 1L << 20, 16L << 20);
        reads("pixels", ElementType.UINT, "red, green, blue and alpha, from the lowest byte on");
        writes("uint: red, green, blue and alpha of each pixel, from the lowest byte on");
    }

    @Override
    public void prepare(Setup setup) {
        HostBuffer in = setup.input(0);
        HostBuffer out = setup.output(ElementType.UINT, setup.items());
        setup.job(ColourInversion.job(setup.items(), in, out, setup.tuning()))
                .bytesPerItem(2.0 * Integer.BYTES)
                .expect(() -> MapReference.invertWords(JavaArrays.ints(in)));
    }
}
