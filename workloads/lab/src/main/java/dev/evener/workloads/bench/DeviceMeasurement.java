package dev.evener.workloads.bench;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.workloads.bench.DeviceProbe.Figure;
import dev.evener.workloads.bench.DeviceProbe.Transfers;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Measures one device by jobs on it alone: what the smallest takes, how fast kernels copy and read memory, and, if the device has
 * memory of its own, how fast the way there is. What counts are the times of chunks, without what the runtime does around them.
 * Belongs to the thread that made it.
 */
public final class DeviceMeasurement implements AutoCloseable {
    /** A unit, and what a work-item of a CPU goes over. */
    private static final int UNIT_BYTES = 64;

    private static final int BLOCK_BYTES = 256 << 10;

    /** Of each of two buffers: more than caches hold, and many pieces. */
    private static final long MEMORY_BYTES = 256L << 20;

    private static final long TRANSFER_BYTES = 512L << 20;

    /** Where there is little memory, at most such a part of it is for each. */
    private static final int PART = 8;

    /** A single launch is over soon, and disturbances are many times as long: many samples. */
    private static final int LAUNCHES = 200;

    private static final int LAUNCHES_BEFORE = 20;
    private static final int RUNS = 7;
    private static final int LEAST_RUNS = 3;
    private static final int RUNS_BEFORE = 2; // memory that is touched for the first time, and a clock that speeds up

    /** After which no more is measured for one figure. */
    private static final long LIMIT_NANOS = 300_000_000L;

    private static final KernelSource SOURCE = KernelSource.resource(DeviceMeasurement.class, "probe.cl");

    private static final LongAdder SUMS = new LongAdder(); // so that no sum in Java can be left out

    private final List<RunEvent.Chunk> chunks = Collections.synchronizedList(new ArrayList<>()); // of the job under way
    private final List<DataBuffer> buffers = new ArrayList<>();
    private final Evener evener;
    private final DeviceInfo info;

    private DeviceMeasurement(DeviceInfo device, boolean allowSharing, boolean pinned) {
        evener = Evener.builder()
                .devices(DeviceSelector.ids(List.of(device.id())))
                .history(History.inMemory())
                .policy(Policies.single())
                .sharedMemory(allowSharing)
                .pinnedMemory(pinned)
                .listener(this::heard)
                .open();
        info = evener.devices().get(0);
    }

    private void heard(RunEvent event) {
        if (event instanceof RunEvent.Chunk chunk) {
            chunks.add(chunk);
        }
    }

    /**
     * Measures everything, which takes a few seconds and wants the machine to itself.
     *
     * @param allowSharing false to measure transfers even where memory could be shared
     * @param progress told what is being measured, by the calling thread
     * @throws EvenerException if the device is not there, or cannot be opened or measured
     */
    public static DeviceProbe measure(DeviceInfo device, boolean allowSharing, Consumer<String> progress) {
        try (DeviceMeasurement pageable = new DeviceMeasurement(device, allowSharing, false)) {
            progress.accept("launch");
            Figure launch = pageable.launch();
            progress.accept("copying");
            Figure copy = pageable.memory("copy", 2, DeviceMeasurement::copy);
            progress.accept("reading");
            Figure read = pageable.memory("read", 1, DeviceMeasurement::read);
            if (pageable.info.sharesHostMemory()) {
                return new DeviceProbe(launch, copy, read, null, null);
            }
            try (DeviceMeasurement pinned = new DeviceMeasurement(device, allowSharing, true)) {
                Transfers fromPinned = pinned.transfers("page-locked", progress);
                Transfers fromPageable = pageable.transfers("pageable", progress);
                return new DeviceProbe(launch, copy, read, fromPinned, fromPageable);
            }
        }
    }

    private Figure launch() {
        int units = info.kind() == DeviceKind.JVM ? info.computeUnits() : 1; // a piece for each thread
        JobBuilder job = job("nothing", units).temporary(uint()).temporary(uint());
        return Figure.of(samples(job.jvm(chunk -> {}), LAUNCHES_BEFORE, 1, LAUNCHES, chunk -> 0));
    }

    private static Temporary uint() {
        return Temporary.of(ElementType.UINT, 1);
    }

    /** @param times how often each byte is moved */
    private Figure memory(String kernel, int times, JvmKernel inJava) {
        long bytes = fitting(MEMORY_BYTES);
        JobBuilder job = job(kernel, bytes / UNIT_BYTES);
        job.reads(
                owned(evener.allocateManaged(ElementType.UINT, bytes / Integer.BYTES)),
                Access.slice()); // sent once at most
        job = info.sharesHostMemory()
                ? job.writes(buffer(bytes), Access.slice())
                : job.temporary(Temporary.perUnit(ElementType.UINT, UNIT_BYTES / Integer.BYTES));
        return rate(times * bytes, job.chunkUnits().jvm(inJava), RunEvent.Chunk::kernelNanos);
    }

    private Transfers transfers(String memory, Consumer<String> progress) {
        progress.accept("sending from " + memory + " memory");
        Figure toDevice = transfer(true, false, RunEvent.Chunk::transferNanos);
        progress.accept("fetching to " + memory + " memory");
        Figure fromDevice = transfer(false, true, RunEvent.Chunk::transferNanos);
        progress.accept("both ways with " + memory + " memory");
        return new Transfers(toDevice, fromDevice, transfer(true, true, chunk -> chunk.end() - chunk.start()));
    }

    private Figure transfer(boolean send, boolean fetch, ToLongFunction<RunEvent.Chunk> measured) {
        long bytes = fitting(TRANSFER_BYTES);
        JobBuilder job = job("nothing", bytes / UNIT_BYTES).jvm(chunk -> {});
        job = send ? job.reads(buffer(bytes), Access.slice()) : job.temporary(uint());
        job = fetch ? job.writes(buffer(bytes), Access.slice()) : job.temporary(uint());
        return rate(send && fetch ? 2 * bytes : bytes, job, measured);
    }

    /** The largest power of two of bytes, at most so many, of which there may be several. */
    private long fitting(long most) {
        long fits =
                Math.min(most, Math.min(info.memoryBytes(), Runtime.getRuntime().maxMemory()) / PART);
        return Long.highestOneBit(info.maxAllocationBytes() > 0 ? Math.min(fits, info.maxAllocationBytes()) : fits);
    }

    // ---- jobs ----

    private static JobBuilder job(String kernel, long units) {
        return Job.named("probe")
                .source(SOURCE)
                .units(units)
                .kernel("evener_probe_" + kernel)
                .variant(
                        DeviceKind.CPU,
                        Variant.unitsPerItem(BLOCK_BYTES / UNIT_BYTES).withGroupSize(1))
                .variant(
                        DeviceKind.GPU,
                        Variant.unitsPerItem(1).withGroupSize(256).withGroupsPerComputeUnit(8)); // hides latency
    }

    /** Bytes a second, of a job that moves so many; its buffers are closed. */
    private Figure rate(long bytes, JobBuilder job, ToLongFunction<RunEvent.Chunk> measured) {
        double[] nanos = samples(job, RUNS_BEFORE, LEAST_RUNS, RUNS, measured);
        buffers.forEach(DataBuffer::close);
        buffers.clear();
        return Figure.of(Arrays.stream(nanos).map(each -> 1e9 * bytes / each).toArray());
    }

    private double[] samples(
            JobBuilder described, int before, int least, int most, ToLongFunction<RunEvent.Chunk> measured) {
        Job job = described.build();
        for (int i = 0; i < before; i++) {
            run(job, measured);
        }
        double[] nanos = new double[most];
        int samples = 0;
        long begin = System.nanoTime();
        while (samples < most && (samples < least || System.nanoTime() - begin < LIMIT_NANOS)) {
            nanos[samples++] = run(job, measured);
        }
        return Arrays.copyOf(nanos, samples);
    }

    /** What its chunks took; where 0 is measured, from handing them to the device until that was seen to be done. */
    private double run(Job job, ToLongFunction<RunEvent.Chunk> measured) {
        chunks.clear();
        try {
            evener.submit(job).join();
        } catch (CompletionException e) {
            throw new EvenerException(
                    "device " + info.id() + " could not be measured: "
                            + e.getCause().getMessage(),
                    e);
        }
        long nanos = 0;
        for (RunEvent.Chunk chunk : chunks) {
            long its = measured.applyAsLong(chunk);
            nanos += its > 0 ? its : chunk.end() + chunk.noticeNanos() - chunk.begun();
        }
        return Math.max(1, nanos);
    }

    private static void copy(JvmKernel.Chunk chunk) {
        chunk.buffer(1).put(0, chunk.buffer(0), 0, chunk.buffer(0).limit());
    }

    private static void read(JvmKernel.Chunk chunk) {
        LongBuffer values = chunk.buffer(0).asLongBuffer();
        long a = 0;
        long b = 0;
        long c = 0;
        long d = 0;
        for (int i = 0; i + 3 < values.limit(); i += 4) {
            a += values.get(i);
            b += values.get(i + 1);
            c += values.get(i + 2);
            d += values.get(i + 3);
        }
        SUMS.add(a + b + c + d);
    }

    private HostBuffer buffer(long bytes) {
        return owned(evener.allocate(ElementType.UINT, bytes / Integer.BYTES));
    }

    private <B extends DataBuffer> B owned(B made) {
        buffers.add(made);
        return made;
    }

    @Override
    public void close() {
        evener.close();
    }
}
