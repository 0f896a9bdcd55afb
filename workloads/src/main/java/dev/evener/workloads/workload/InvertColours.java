package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.map.ColourInversion;
import dev.evener.kernels.map.MapReference;
import java.util.List;

/** Colours of 8 bits a component, inverted. */
final class InvertColours implements Workload {
    @Override
    public About about() {
        return new About(
                "invert",
                "colours of RGBA pixels, inverted",
                "pixel",
                "pixel",
                "uint: red, green, blue and alpha of each pixel, from the lowest byte on",
                List.of(64L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("pixels", ElementType.UINT, "red, green, blue and alpha, from the lowest byte on"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> {
            HostBuffer in = buffers.input(request, 0, request.items());
            HostBuffer out = buffers.allocate(ElementType.UINT, in.elements());
            return new PreparedPrimitive(
                    buffers,
                    request,
                    ColourInversion.job(in.elements(), in, out, request.tuning()),
                    PreparedPrimitive.Cost.of(in.elements(), 2.0 * Integer.BYTES),
                    out,
                    () -> MapReference.invertWords(JavaArrays.ints(in)));
        });
    }
}
