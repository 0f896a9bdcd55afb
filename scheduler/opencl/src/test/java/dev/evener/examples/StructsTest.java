package dev.evener.examples;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Structs, vectors and halves, laid out as docs/data.md says, on two devices. */
class StructsTest {
    private static final int N = 1 << 14;

    private static final String SOURCE = """
            typedef struct { char kind; int count; float weight; } item;
            kernel void weigh(global item *items, global const float4 *at, global const half *scale, global half *sums) {
                size_t i = get_global_id(0);
                items[i].weight = items[i].count * at[i].w;
                vstore_half(vload_half(i, scale) * items[i].kind, i, sums);
            }
            """;

    @Test
    void areBuffersOfTheirBytes() {
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse("0.0,0.1"))
                        .policy(Policies.fixed())
                        .history(History.inMemory())
                        .open();
                HostBuffer items = evener.allocate(ElementType.UBYTE, 12L * N);
                HostBuffer at = evener.allocate(ElementType.FLOAT, 4L * N);
                HostBuffer scale = evener.allocate(ElementType.USHORT, N);
                HostBuffer sums = evener.allocate(ElementType.USHORT, N)) {
            ByteBuffer bytes = items.bytes();
            for (int i = 0; i < N; i++) {
                bytes.put(12 * i, (byte) 2).putInt(12 * i + 4, i);
                at.floats().put(4 * i + 3, 0.5f);
                scale.shorts().put(i, (short) 0x3C00); // 1
            }
            evener.submit(Job.named("weigh")
                            .source(SOURCE)
                            .units(N)
                            .kernel("weigh")
                            .updates(items, slice(12))
                            .reads(at, slice(4))
                            .reads(scale, slice())
                            .writes(sums, slice())
                            .build())
                    .join();
            for (int i = 0; i < N; i++) {
                assertEquals(i * 0.5f, bytes.getFloat(12 * i + 8));
                assertEquals(2, bytes.get(12 * i));
                assertEquals(0x4000, sums.shorts().get(i)); // 2
            }
        }
    }
}
