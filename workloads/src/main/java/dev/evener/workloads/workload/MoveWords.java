package dev.evener.workloads.workload;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.DeviceVariants;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Words that are read, written or copied, with nothing computed: what memory and its transfers can do. */
final class MoveWords implements Workload {
    private static final KernelSource SOURCE = KernelSource.resource(MoveWords.class, "memory.cl");

    /** Words of a unit, 16 KiB: a work-item's run, long enough to hide its launch. */
    private static final int UNIT = 4096;

    private static final Parameter<Way> WAY = Parameter.choice("way", "what is done", Way.COPY);
    private static final Parameter<Memory> MEMORY =
            Parameter.choice("memory", "Evener's memory, or wrapped memory of the application's", Memory.OWN);

    /** What is done to the words. */
    private enum Way {
        COPY,
        READ,
        WRITE
    }

    /** Whose memory it is. */
    private enum Memory {
        OWN,
        WRAPPED
    }

    @Override
    public About about() {
        return new About(
                "memory",
                "words copied, read or written, with nothing computed",
                "word",
                "16 KiB of word",
                "uint: the copy; the or of each unit's words; or each word's place in its unit",
                List.of(64L << 10, 1L << 20, 64L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(WAY, MEMORY, HostBuffers.RESIDENT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return values.get(WAY) == Way.WRITE
                ? List.of()
                : List.of(Input.of("words", ElementType.UINT, "what is copied or read"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS / UNIT * UNIT;
    }

    @Override
    public void check(Request request) {
        if (request.items() % UNIT != 0 && request.fromFiles()) {
            throw new IllegalArgumentException("memory takes files of whole units of " + UNIT + " words");
        }
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        check(request);
        long units = (request.items() + UNIT - 1) / UNIT;
        Way way = request.get(WAY);
        return HostBuffers.ownedBy(evener, buffers -> {
            HostBuffer from = way == Way.WRITE ? null : words(buffers, request, units * UNIT);
            HostBuffer to =
                    way == Way.READ ? buffers.allocate(ElementType.UINT, units) : empty(buffers, request, units * UNIT);
            Job.Builder job = Job.named("memory " + way.name().toLowerCase(java.util.Locale.ROOT))
                    .source(SOURCE)
                    .units(units)
                    .kernel(way == Way.COPY ? "copy" : way == Way.READ ? "read_all" : "write_all")
                    .jvm(jvm(way));
            DeviceVariants.add(job, Variant.itemsPerUnit(1, 1), Variant.itemsPerUnit(256, 256));
            if (from != null) {
                job.reads(from, slice(UNIT));
            }
            job.writes(to, slice(way == Way.READ ? 1 : UNIT));
            return PreparedPrimitive.checked(
                    buffers,
                    request,
                    job.build(),
                    PreparedPrimitive.Cost.of(units * UNIT, way == Way.COPY ? 8 : 4),
                    to,
                    () -> mismatch(way, from, to));
        });
    }

    private static HostBuffer empty(HostBuffers buffers, Request request, long words) {
        return request.get(MEMORY) == Memory.WRAPPED
                ? buffers.wrap(ElementType.UINT, words)
                : buffers.allocate(ElementType.UINT, words);
    }

    private static HostBuffer words(HostBuffers buffers, Request request, long words) {
        HostBuffer buffer = empty(buffers, request, words);
        request.fill(0, buffer);
        return request.get(HostBuffers.RESIDENT) ? buffer.keepOnDevices() : buffer;
    }

    private static JvmKernel jvm(Way way) {
        return chunk -> {
            IntBuffer first = chunk.buffer(0).asIntBuffer();
            for (int unit = 0; unit < chunk.units(); unit++) {
                if (way == Way.READ) {
                    chunk.buffer(1).asIntBuffer().put(unit, or(first, unit));
                } else if (way == Way.COPY) {
                    chunk.buffer(1).asIntBuffer().put(unit * UNIT, first, unit * UNIT, UNIT);
                } else {
                    for (int i = 0; i < UNIT; i++) {
                        first.put(unit * UNIT + i, i);
                    }
                }
            }
        };
    }

    private static int or(IntBuffer words, int unit) {
        int or = 0;
        for (int i = 0; i < UNIT; i++) {
            or |= words.get(unit * UNIT + i);
        }
        return or;
    }

    private static @Nullable String mismatch(Way way, @Nullable HostBuffer from, HostBuffer to) {
        IntBuffer found = to.ints();
        IntBuffer words = from == null ? null : from.ints();
        for (int i = 0; i < found.capacity(); i++) {
            int right = words == null ? i % UNIT : way == Way.READ ? or(words, i) : words.get(i);
            if (found.get(i) != right) {
                return "word " + i + " is " + found.get(i) + ", not " + right;
            }
        }
        return null;
    }
}
