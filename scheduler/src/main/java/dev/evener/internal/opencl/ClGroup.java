package dev.evener.internal.opencl;

import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.KernelSource;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.ManagedBuffer.DeviceMemory;
import dev.evener.internal.Pages;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_device_id;
import org.jocl.cl_event;
import org.jocl.cl_mem;
import org.jocl.cl_program;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices of one platform in one shared context: its programs, and the host buffers it works on in place. Thread-safe.
 * Freed when the last of its lanes lets go of it.
 */
class ClGroup {
    private static final Logger LOG = LoggerFactory.getLogger(ClGroup.class);
    private static final int TRIAL_BYTES = 4 << 20;

    private final List<ClDevice> devices;
    private final cl_context context;
    private final ClPrograms programs;
    private final AtomicInteger users = new AtomicInteger();
    private final AtomicReference<@Nullable PinnedMemory> pinned = new AtomicReference<>();

    /** Whether sub-buffers of host memory are refused by the context, or better not tried. */
    private volatile boolean sparesSubBuffers;

    /** Whether a buffer over a part of a segment was seen to work in place; any of the group's lanes. */
    private volatile boolean takesParts;

    /** @param chosen devices of one platform; those that are parts belong to the group from now on */
    ClGroup(List<ClDevice> chosen, ProgramCache cache) {
        devices = List.copyOf(chosen);
        try {
            context = Cl.createContext(
                    devices.get(0).platform(),
                    devices.stream().map(ClDevice::handle).toArray(cl_device_id[]::new));
        } catch (RuntimeException e) {
            ClFission.release(devices);
            throw e;
        }
        programs = new ClPrograms(context, cache);
    }

    cl_context context() {
        return context;
    }

    cl_program program(KernelSource source, String options, DeviceKind kind) {
        return programs.get(
                source,
                options,
                devices.stream().filter(d -> d.info().kind() == kind).toList());
    }

    /** Memory of a device's own; which one's is decided by its first use. */
    cl_mem allocate(long bytes) {
        return Cl.createBuffer(context, CL.CL_MEM_READ_WRITE, bytes, null);
    }

    /** Memory of a device's own that the host never touches. */
    cl_mem allocateForDevice(long bytes) {
        return Cl.createBuffer(context, CL.CL_MEM_READ_WRITE | CL.CL_MEM_HOST_NO_ACCESS, bytes, null);
    }

    /** A segment of the buffer as this context sees it, in place. Only for lanes whose device shares host memory. */
    cl_mem inPlace(ManagedBuffer buffer, int segment, ClDevice device) {
        Wrapped wrapped = (Wrapped) buffer.attachment(this, host -> wrap(host, device));
        return wrapped.mems().get(segment);
    }

    private Wrapped wrap(ManagedBuffer host, ClDevice device) {
        List<cl_mem> mems = new ArrayList<>(host.segmentCount());
        try {
            for (int i = 0; i < host.segmentCount(); i++) {
                mems.add(wrap(host.segment(i), device));
            }
            return new Wrapped(mems);
        } catch (RuntimeException e) {
            mems.forEach(Cl::release);
            throw e;
        }
    }

    private cl_mem wrap(ByteBuffer memory, ClDevice device) {
        // Of whole pages, which the host allocates, but for memory that the application brought.
        long bytes = Math.min(Pages.padded(memory.limit()), memory.capacity());
        if (device.info().maxAllocationBytes() > 0 && bytes > device.info().maxAllocationBytes()) {
            // Only for a buffer of another Evener: this one's are cut to suit its devices.
            throw new EvenerException("a buffer's segment of " + bytes + " bytes is larger than device "
                    + device.info().id() + " takes in one allocation ("
                    + device.info().maxAllocationBytes() + "); allocate it with the Evener that runs the job");
        }
        return over(memory, 0, bytes);
    }

    private record Wrapped(List<cl_mem> mems) implements DeviceMemory {
        @Override
        public void release() {
            mems.forEach(Cl::release);
        }
    }

    /**
     * Page-locked memory for the group's devices with memory of their own.
     *
     * @param device one of them
     * @param least fewest bytes for which locking pays
     */
    PinnedMemory pinned(ClDevice device, long least) {
        PinnedMemory present = pinned.get();
        if (present != null) {
            return present;
        }
        PinnedMemory made = new PinnedMemory(this, device, least);
        return pinned.compareAndSet(null, made) ? made : pinned(device, least);
    }

    /** One more lane uses this group. */
    void retain() {
        users.incrementAndGet();
    }

    /** One lane fewer; the last one frees programs, context and sub-devices. */
    void release() {
        if (users.decrementAndGet() == 0) {
            PinnedMemory memory = pinned.get();
            if (memory != null) {
                memory.close();
            }
            programs.close();
            Cl.release(context);
            ClFission.release(devices);
        }
    }

    /**
     * A part of a segment in place: a sub-buffer, or a buffer over the part alone where the context is better spared sub-buffers of
     * host memory. PoCL has every device of a context find a place for the segment of such a sub-buffer, which its CUDA driver may
     * refuse; that is no failure of the device that the part is for, but leaves a segment that no command may use any more.
     *
     * @param within where the part begins
     * @return null if the context refuses that too, so that the lane has to use memory of its own
     */
    @Nullable
    cl_mem part(ManagedBuffer buffer, int segment, ClDevice device, long within, long bytes, int[] status) {
        if (!sparesSubBuffers) {
            try {
                return subBuffer(inPlace(buffer, segment, device), within, bytes, status);
            } catch (ClFailure e) {
                sparesSubBuffers = true;
                LOG.debug("the context refuses sub-buffers of host memory: {}", e.getMessage());
            }
        }
        try {
            return takesParts ? over(buffer.segment(segment), within, bytes) : null;
        } catch (ClFailure e) {
            takesParts = false;
            LOG.debug("the context refuses buffers over parts of host memory: {}", e.getMessage());
            return null;
        }
    }

    /** A sub-buffer of host memory. */
    cl_mem subBuffer(cl_mem all, long within, long bytes, int[] status) {
        return Cl.createSubBuffer(all, within, bytes, status);
    }

    /** A buffer over host memory from a place on, which the device works on in place if it can. */
    cl_mem over(ByteBuffer memory, long from, long bytes) {
        return Cl.createBuffer(
                context,
                CL.CL_MEM_READ_WRITE | CL.CL_MEM_USE_HOST_PTR,
                bytes,
                Pointer.to(memory).withByteOffset(from));
    }

    /**
     * Whether a device really works on host memory in place, as a whole and in parts: what the host writes after a buffer was made
     * must be what the device reads, and what the device writes must be what the host reads, with no map or transfer in between.
     * Tried out, because a platform may report unified memory and keep copies all the same, or refuse some buffers. Where a device
     * with memory of its own is in the context, parts are buffers of their own if that works: it then has no part in them.
     */
    boolean sharesHostMemory(ClDevice device, cl_command_queue queue) {
        if (!device.info().sharesHostMemory()
                || !worksInPlace(queue, 0, (all, memory) -> over(memory, 0, Pages.SIZE))) {
            return false;
        }
        int at = Math.max(device.info().alignmentBytes(), Pages.SIZE);
        int[] status = new int[1];
        takesParts = worksInPlace(queue, at, (all, memory) -> over(memory, at, Pages.SIZE));
        boolean joinsDiscrete = devices.stream().anyMatch(d -> !d.info().sharesHostMemory());
        sparesSubBuffers |= (joinsDiscrete && takesParts)
                || !worksInPlace(
                        queue, at, (all, memory) -> subBuffer(all.apply(at + Pages.SIZE), at, Pages.SIZE, status));
        return takesParts || !sparesSubBuffers;
    }

    /** How a page of host memory comes to be seen: given what makes a buffer over so many bytes of the memory, and the memory. */
    private interface View {
        cl_mem of(IntFunction<cl_mem> all, ByteBuffer memory);
    }

    /** Has the device copy from one page of host memory to another, both at this place of their memory. */
    private boolean worksInPlace(cl_command_queue queue, int at, View view) {
        List<cl_mem> all = new ArrayList<>();
        List<cl_mem> pages = new ArrayList<>();
        List<ByteBuffer> memory = List.of(Pages.allocate(at + Pages.SIZE), Pages.allocate(at + Pages.SIZE));
        try {
            for (ByteBuffer each : memory) {
                pages.add(view.of(
                        bytes -> {
                            all.add(over(each, 0, bytes));
                            return all.get(all.size() - 1);
                        },
                        each));
            }
            for (int round = 1; round <= 2; round++) { // twice: a copy made at first use would pass once
                for (int i = 0; i < Pages.SIZE; i += Integer.BYTES) {
                    memory.get(0).putInt(at + i, round * 1_000_003 + i);
                }
                copy(queue, pages, Pages.SIZE);
                if (!memory.get(0).equals(memory.get(1))) {
                    return false;
                }
            }
            return true;
        } catch (ClFailure e) {
            return false;
        } finally {
            pages.forEach(Cl::release);
            all.forEach(Cl::release);
        }
    }

    /**
     * Whether a queue's driver runs commands inside the enqueue call, in the calling thread: a copy of some size is then
     * over when the call returns, without a flush.
     */
    boolean runsInEnqueue(cl_command_queue queue) {
        List<cl_mem> mems = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                mems.add(Cl.createBuffer(context, CL.CL_MEM_READ_WRITE, TRIAL_BYTES, null));
            }
            return copy(queue, mems, TRIAL_BYTES) == CL.CL_COMPLETE;
        } catch (ClFailure e) {
            return false;
        } finally {
            mems.forEach(Cl::release);
        }
    }

    /** Tries a queue out: what is sent must come back. */
    void probe(ClDevice device, cl_command_queue queue) {
        ByteBuffer from = Pages.allocate(Pages.SIZE);
        ByteBuffer to = Pages.allocate(Pages.SIZE);
        for (int i = 0; i < Pages.SIZE; i += Integer.BYTES) {
            from.putInt(i, 31 * i + 7);
        }
        cl_mem mem = Cl.createBuffer(context, CL.CL_MEM_READ_WRITE, Pages.SIZE, null);
        cl_event sent = new cl_event();
        cl_event fetched = new cl_event();
        boolean hasSent = false;
        boolean hasFetched = false;
        try {
            Cl.enqueueWrite(queue, mem, device.needsBlockingTransfers(), 0, Pages.SIZE, Pointer.to(from), null, sent);
            hasSent = true;
            Cl.enqueueRead(queue, mem, device.needsBlockingTransfers(), 0, Pages.SIZE, Pointer.to(to), null, fetched);
            hasFetched = true;
            Cl.flush(queue);
            Cl.waitFor(new cl_event[] {sent, fetched});
        } finally {
            Cl.drain(queue);
            if (hasSent) {
                Cl.release(sent);
            }
            if (hasFetched) {
                Cl.release(fetched);
            }
            Cl.release(mem);
        }
        if (!from.equals(to)) {
            throw new EvenerException("what was sent to the device did not come back");
        }
    }

    /** Copies the first buffer to the second, waits, and returns the command's status just after the enqueue call. */
    private static int copy(cl_command_queue queue, List<cl_mem> mems, int bytes) {
        cl_event event = new cl_event();
        int[] status = new int[1];
        Cl.check(
                "copying " + bytes + " bytes",
                () -> CL.clEnqueueCopyBuffer(queue, mems.get(0), mems.get(1), 0, 0, bytes, 0, null, event));
        Cl.check(
                "asking for a command's status",
                () -> CL.clGetEventInfo(
                        event, CL.CL_EVENT_COMMAND_EXECUTION_STATUS, Integer.BYTES, Pointer.to(status), null));
        Cl.check("waiting", () -> CL.clFinish(queue));
        Cl.check("releasing an event", () -> CL.clReleaseEvent(event));
        return status[0];
    }
}
