package dev.evener.internal.lane;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.internal.HostMemory;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.Sampling;
import dev.evener.internal.Segments;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * Measures one device by chunks of a lane of its own: what the smallest takes, how fast kernels copy and read memory, and, if the
 * device has memory of its own, how fast the way there is. Belongs to the thread that made it.
 */
final class DeviceMeasurement implements AutoCloseable {
    /** A unit, and what a work-item of a CPU goes over. */
    private static final int UNIT_BYTES = 64;

    private static final int BLOCK_BYTES = 256 << 10;

    /** Of each of two buffers: more than caches hold. */
    private static final long MEMORY_BYTES = 256L << 20;

    private static final long TRANSFER_BYTES = 128L << 20;

    /** Of a transfer: so many that the time in which not both directions are in use hardly counts. */
    private static final long PIECE_BYTES = 4L << 20;

    /** Where there is little memory, at most such a part of it is for each. */
    private static final int PART = 8;

    private static final KernelSource SOURCE = KernelSource.resource(DeviceMeasurement.class, "probe.cl");

    private static final LongAdder SUMS = new LongAdder(); // so that no sum in Java can be left out

    private final Lane lane;
    private final DeviceInfo info;
    private final List<ManagedBuffer> buffers = new ArrayList<>();

    private DeviceMeasurement(DeviceInfo device, boolean allowSharing, boolean pinned) {
        Devices.Options options = new Devices.Options(
                allowSharing,
                false,
                Long.MAX_VALUE,
                PIECE_BYTES,
                pinned ? Devices.Options.WORTH_PINNING : Long.MAX_VALUE,
                false);
        lane = Devices.open(List.of(device), options).get(0);
        info = lane.device();
    }

    /**
     * Measures everything.
     *
     * @param allowSharing false to measure transfers even where memory could be shared
     * @param progress told what is being measured
     */
    static DeviceProbe measure(DeviceInfo device, boolean allowSharing, Consumer<String> progress) {
        try (DeviceMeasurement pageable = new DeviceMeasurement(device, allowSharing, false)) {
            progress.accept("launch");
            Figure launch = pageable.launch();
            progress.accept("copying");
            Figure copy = pageable.memory("copy", 2, DeviceMeasurement::copy);
            progress.accept("reading");
            Figure read = pageable.memory("read", 1, DeviceMeasurement::read);
            if (pageable.info.sharesHostMemory()) {
                return new DeviceProbe(device.identity(), launch, copy, read, null, null);
            }
            try (DeviceMeasurement pinned = new DeviceMeasurement(device, allowSharing, true)) {
                Transfers fromPinned = pinned.transfers("page-locked", progress);
                Transfers fromPageable = pageable.transfers("pageable", progress);
                return new DeviceProbe(device.identity(), launch, copy, read, fromPinned, fromPageable);
            }
        }
    }

    private Figure launch() {
        int units = info.kind() == DeviceKind.JVM ? info.computeUnits() : 1; // a piece for each thread
        Job.Builder job = job("nothing", units).temporary(uint()).temporary(uint());
        return Sampling.nanos(work(job, chunk -> {}, times -> 0));
    }

    private static Temporary uint() {
        return Temporary.of(ElementType.UINT, 1);
    }

    /** @param times how often each byte is moved */
    private Figure memory(String kernel, int times, JvmKernel inJava) {
        return unlessItFits(MEMORY_BYTES, bytes -> {
            Job.Builder job = job(kernel, bytes / UNIT_BYTES);
            job.reads(buffer(bytes).keepOnDevices(), Access.slice()); // sent once at most
            job = info.sharesHostMemory()
                    ? job.writes(buffer(bytes), Access.slice())
                    : job.temporary(Temporary.perUnit(ElementType.UINT, UNIT_BYTES / Integer.BYTES));
            return Sampling.bytesPerSecond(times * bytes, work(job.chunkUnits(), inJava, busy -> busy.kernelNanos));
        });
    }

    private Transfers transfers(String memory, Consumer<String> progress) {
        progress.accept("sending from " + memory + " memory");
        Figure toDevice = transfer(true, false, times -> times.transferNanos);
        progress.accept("fetching to " + memory + " memory");
        Figure fromDevice = transfer(false, true, times -> times.transferNanos);
        progress.accept("both ways with " + memory + " memory");
        return new Transfers(toDevice, fromDevice, transfer(true, true, times -> times.end - times.start));
    }

    private Figure transfer(boolean send, boolean fetch, ToLongFunction<ChunkTimes> measured) {
        return unlessItFits(TRANSFER_BYTES, bytes -> {
            Job.Builder job = job("nothing", bytes / UNIT_BYTES);
            job = send ? job.reads(buffer(bytes), Access.slice()) : job.temporary(uint());
            job = fetch ? job.writes(buffer(bytes), Access.slice()) : job.temporary(uint());
            return Sampling.bytesPerSecond(send && fetch ? 2 * bytes : bytes, work(job, chunk -> {}, measured));
        });
    }

    /**
     * Measures over the largest power of two of bytes that the device can give, or half as many, and so on: some drivers say only
     * when memory is used for the first time that there is none. Frees what was made for it.
     */
    private Figure unlessItFits(long most, LongFunction<Figure> measuring) {
        long fits = Math.min(most, Math.min(info.memoryBytes(), HostMemory.directLimit()) / PART);
        if (info.maxAllocationBytes() > 0) {
            fits = Math.min(fits, info.maxAllocationBytes());
        }
        for (long bytes = Long.highestOneBit(Math.max(HostMemory.PAGE, fits)); ; bytes /= 2) {
            try {
                return measuring.apply(bytes);
            } catch (RuntimeException e) {
                if (LaneFailure.kindOf(e) != LaneFailure.Kind.MEMORY || bytes <= HostMemory.PAGE) {
                    throw e;
                }
            } finally {
                releaseBuffers();
            }
        }
    }

    // ---- chunks ----

    private Job.Builder job(String kernel, long units) {
        return Job.named("probe")
                .source(SOURCE)
                .units(units)
                .kernel("evener_probe_" + kernel)
                .variant(DeviceKind.CPU, Variant.unitsPerItem(BLOCK_BYTES / UNIT_BYTES, 1))
                .variant(DeviceKind.GPU, Variant.unitsPerItem(1, 256).withGroupsPerComputeUnit(8)); // hides latency
    }

    /** Running all units as one chunk, and what that took: by the host's clock until it had ended, where 0 is measured. */
    private Sampling.Work work(Job.Builder described, JvmKernel inJava, ToLongFunction<ChunkTimes> measured) {
        JobSpec job = JobSpec.of(described.jvm(inJava).build());
        JobSpec.Phase phase = job.phases().get(0);
        lane.prepare(job, phase);
        ChunkTimes times = new ChunkTimes();
        return () -> {
            times.reset();
            long begin = System.nanoTime();
            lane.enqueue(job, phase, 0, job.units(), false, times);
            lane.await();
            long end = System.nanoTime();
            lane.commit();
            lane.settle(times);
            long nanos = measured.applyAsLong(times);
            return nanos > 0 ? nanos : end - begin;
        };
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

    // ---- what is owned ----

    /** Memory whose pages are there. */
    private ManagedBuffer buffer(long bytes) {
        Segments memory = Segments.allocate(
                ElementType.UINT,
                bytes / Integer.BYTES,
                1,
                Segments.Limits.of(List.of(info)),
                Devices.pageLocked(List.of(lane)));
        ManagedBuffer made = new ManagedBuffer(ElementType.UINT, memory);
        made.hold();
        buffers.add(made);
        for (int at = 0; at < bytes; at += HostMemory.PAGE) {
            made.bytes().put(at, (byte) 1);
        }
        return made;
    }

    private void releaseBuffers() {
        for (ManagedBuffer each : buffers) {
            each.letGo();
            each.close();
        }
        buffers.clear();
    }

    @Override
    public void close() {
        releaseBuffers();
        lane.close();
    }
}
