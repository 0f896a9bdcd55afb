package example;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.KernelSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** What the devices compute: a tenth of x², which is the same float on all of them. Thread-safe. */
@Component
class Squares {
    private static final KernelSource SOURCE = KernelSource.of("squares", """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void squares(global const float *x, global float *y) {
                size_t i = get_global_id(0);
                y[i] = x[i] * x[i] * 0.1f;
            }
            """);

    private final Evener evener;
    private final AtomicInteger submitted = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    Squares(Evener evener) {
        this.evener = evener;
    }

    /** Those of so many numbers from one on; its caller need not wait. */
    CompletableFuture<float[]> from(int first, int count) {
        HostBuffer x = evener.allocate(ElementType.FLOAT, count);
        HostBuffer y = evener.allocate(ElementType.FLOAT, count);
        for (int i = 0; i < count; i++) {
            x.floats().put(i, first + i);
        }
        Job job = Job.named("squares")
                .units(count)
                .source(SOURCE)
                .kernel("squares")
                .reads(x, Access.slice())
                .writes(y, Access.slice())
                .build();
        submitted.incrementAndGet();
        return evener.submit(job).handle((report, failure) -> {
            try (x; y) {
                if (failure != null) {
                    throw new IllegalStateException("squares from " + first, failure);
                }
                float[] result = new float[count];
                y.floats().get(0, result);
                done.incrementAndGet();
                return result;
            }
        });
    }

    String counts() {
        return submitted + " submitted, " + done + " done";
    }

    @RestController
    record Endpoint(Squares squares) {
        /** The last of them, when it is there: no thread waits for devices. */
        @GetMapping("/squares/{count}")
        CompletableFuture<String> last(@PathVariable int count) {
            return squares.from(0, count).thenApply(all -> all[count - 1] + "\n");
        }
    }
}
