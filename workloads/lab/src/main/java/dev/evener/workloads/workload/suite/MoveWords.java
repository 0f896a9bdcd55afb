package dev.evener.workloads.workload.suite;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Words that are read, written or copied, with nothing computed: what memory and its transfers can do. */
final class MoveWords extends Workload {
    private static final KernelSource SOURCE =
            KernelSource.resource(MoveWords.class, "memory.cl").withTrialLaunch();

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

    MoveWords() {
        super("memory", "words copied, read or written, with nothing computed");
        items("word", "16 KiB of word", 64L << 10, 1L << 20, 64L << 20);
        parameters(WAY, MEMORY, RESIDENT);
        reads("words", ElementType.UINT, "what is copied or read");
        writes("uint: the copy; the or of each unit's words; or each word's place in its unit");
        atMost(MOST_WORDS / UNIT * UNIT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return values.get(WAY) == Way.WRITE ? List.of() : super.inputs(values);
    }

    @Override
    public void check(Request request) {
        if (request.items() % UNIT != 0 && request.fromFiles()) {
            throw new IllegalArgumentException("memory takes files of whole units of " + UNIT + " words");
        }
    }

    @Override
    public void prepare(PreparedWorkload setup) {
        long units = (setup.items() + UNIT - 1) / UNIT;
        Way way = setup.get(WAY);
        HostBuffer from = way == Way.WRITE ? null : setup.filled(0, empty(setup, units * UNIT));
        HostBuffer to =
                setup.output(way == Way.READ ? setup.allocate(ElementType.UINT, units) : empty(setup, units * UNIT));
        JobBuilder job = Job.named("memory " + way.name().toLowerCase(Locale.ROOT))
                .source(SOURCE)
                .units(units)
                .kernel(way == Way.COPY ? "copy" : way == Way.READ ? "read_all" : "write_all")
                .jvm(jvm(way));
        Forms.add(
                job,
                Variant.itemsPerUnit(1).withGroupSize(1),
                Variant.itemsPerUnit(256).withGroupSize(256));
        if (from != null) {
            job.reads(setup.seenByJobs(from), slice(UNIT));
        }
        job.writes(to, slice(way == Way.READ ? 1 : UNIT));
        setup.job(job.build())
                .items(units * UNIT)
                .bytesPerItem(way == Way.COPY ? 8 : 4)
                .check(() -> mismatch(way, from, to));
    }

    private static HostBuffer empty(PreparedWorkload setup, long words) {
        return setup.get(MEMORY) == Memory.WRAPPED
                ? setup.wrap(ElementType.UINT, words)
                : setup.allocate(ElementType.UINT, words);
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
