package dev.evener.kernels.scan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.reference.ScanReference;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;

/** One scan of a whole buffer; {@code groups} runs the form for other devices on CPUs. */
record ScanCase(ElementType type, Operation operation, ScanKind kind, Data data, int count, boolean groups)
        implements TunedCase {

    /** What it takes a program for. */
    String build() {
        return kind + " " + operation + " " + type;
    }

    @Override
    public String name() {
        return kind + " " + operation + " of " + count + " " + data + " " + type + (groups ? " in groups" : "");
    }

    @Override
    public Object run(Evener evener, Policy policy, Tuning tuning) {
        Object values = data.make(type, count, count);
        try (HostBuffer input = evener.allocate(type, count);
                HostBuffer output = evener.allocate(type, count);
                Scan scan = new Scan(evener::allocate, tuning)) {
            Data.fill(input, values);
            evener.submit(GpuForms.job(groups, scan.job(kind, operation, input, output)), policy)
                    .join();
            assertArrayEquals(new Object[] {Data.bits(values)}, new Object[] {Data.content(input)}, "input");
            return Data.content(output);
        }
    }

    @Override
    public void check(Object output) {
        assertArrayEquals(new Object[] {reference()}, new Object[] {output}, name());
    }

    private Object reference() {
        Object values = data.make(type, count, count);
        if (values instanceof long[] longs) {
            return ScanReference.scan(kind, operation, longs);
        }
        if (values instanceof int[] ints) {
            return type == ElementType.UINT
                    ? ScanReference.scanUnsigned(kind, operation, ints)
                    : ScanReference.scan(kind, operation, ints);
        }
        return Data.bits(ScanReference.scan(kind, operation, (float[]) values));
    }
}
