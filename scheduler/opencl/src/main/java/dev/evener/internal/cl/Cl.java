package dev.evener.internal.cl;

import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jocl.CL;
import org.jocl.CLException;
import org.jocl.Pointer;
import org.jocl.cl_buffer_region;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_context_properties;
import org.jocl.cl_device_id;
import org.jocl.cl_event;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_platform_id;
import org.jspecify.annotations.Nullable;

/**
 * OpenCL calls that throw {@link ClFailure} when they fail, whether or not the application switched JOCL's own exceptions
 * on (that switch is one for the whole process and belongs to the application), and that keep the {@link NativeLedger}.
 * Thread rules are OpenCL's: everything may be called by any thread, except that a kernel object belongs to one lane.
 */
final class Cl {
    /**
     * Held while JOCL makes or frees a context: it keeps a map of them that two threads corrupt, as when the lanes of two
     * platforms close at once, and then crashes the process at its exit.
     */
    private static final Object JOCL_CONTEXTS = "dev.evener.internal.cl contexts"; // one, as ClLibrary.JVM is

    /** Longest text that is believed. */
    private static final int LONGEST = 1 << 24;

    private static final ThreadLocal<int[]> STATUS = ThreadLocal.withInitial(() -> new int[1]);
    private static final ThreadLocal<ByteBuffer> NUMBER = ThreadLocal.withInitial(() -> answer(Long.BYTES));

    private Cl() {}

    // ---- the idioms ----

    /** A call that makes something. */
    interface Maker<T> {
        @Nullable
        T make(int[] status);
    }

    /** A call that asks for so many bytes of something, or how many there are. */
    interface Query {
        int ask(long bytes, @Nullable Pointer target, long @Nullable [] needed);
    }

    /** Makes something and has it counted. */
    static <T> T make(Kind kind, String what, Maker<T> maker) {
        T made = make(what, maker);
        NativeLedger.made(kind);
        return made;
    }

    static <T> T make(String what, Maker<T> maker) {
        return make(() -> what, maker);
    }

    private static <T> T make(Supplier<String> what, Maker<T> maker) {
        int[] status = STATUS.get();
        status[0] = CL.CL_SUCCESS;
        T made = null;
        try {
            made = maker.make(status);
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        if (status[0] != CL.CL_SUCCESS || made == null) {
            throw new ClFailure(what.get(), status[0]);
        }
        return made;
    }

    /** Runs a call that returns a status. */
    static void check(String what, IntSupplier call) {
        require(status(call), what, -1, "");
    }

    /** Spares the message's string where nothing failed. */
    static void require(int status, String what, long number, String unit) {
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure(what + (number < 0 ? "" : number) + unit, status);
        }
    }

    static boolean succeeds(IntSupplier call) {
        return status(call) == CL.CL_SUCCESS;
    }

    /** What a call returns, or would return. */
    static int status(IntSupplier call) {
        try {
            return call.getAsInt();
        } catch (CLException e) {
            return e.getStatus();
        } catch (UnsupportedOperationException e) { // this library has no such call
            return CL.CL_INVALID_OPERATION;
        }
    }

    /** For an answer of so many bytes. No array: what JOCL writes to one is lost under {@code -Xcheck:jni}. */
    static ByteBuffer answer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** So many bytes, or null where the driver does not answer. */
    static @Nullable ByteBuffer answer(int bytes, Query query) {
        ByteBuffer all = answer(bytes);
        return succeeds(() -> query.ask(bytes, Pointer.to(all), null)) ? all : null;
    }

    /** A number of so many bytes, without its sign, or {@code otherwise}. */
    static long number(long bytes, long otherwise, Query query) {
        ByteBuffer value =
                NUMBER.get().putLong(0, 0); // of an int the lower half: JOCL is for little-endian machines only
        return succeeds(() -> query.ask(bytes, Pointer.to(value), null)) ? value.getLong(0) : otherwise;
    }

    /** A text, or null where the driver does not answer. */
    static @Nullable String text(Query query) {
        long[] size = new long[1];
        if (!succeeds(() -> query.ask(0, null, size)) || size[0] <= 0 || size[0] > LONGEST) {
            return null;
        }
        ByteBuffer text = answer((int) size[0], query);
        if (text == null) {
            return null;
        }
        String all = StandardCharsets.UTF_8.decode(text).toString();
        int end = all.indexOf('\0');
        return (end < 0 ? all : all.substring(0, end)).trim();
    }

    private static Query ofDevice(cl_device_id device, int what) {
        return (bytes, target, needed) -> CL.clGetDeviceInfo(device, what, bytes, target, needed);
    }

    static @Nullable String deviceText(cl_device_id device, int what) {
        return text(ofDevice(device, what));
    }

    static @Nullable ByteBuffer deviceAnswer(cl_device_id device, int what, int bytes) {
        return answer(bytes, ofDevice(device, what));
    }

    /** A number a device reports, or {@code otherwise}. */
    static long deviceNumber(cl_device_id device, int what, long otherwise) {
        Query query = ofDevice(device, what);
        long[] size = new long[1];
        return succeeds(() -> query.ask(0, null, size)) && (size[0] == Integer.BYTES || size[0] == Long.BYTES)
                ? number(size[0], otherwise, query)
                : otherwise;
    }

    /** The same of a number that says nothing where it is 0. */
    static long devicePositive(cl_device_id device, int what, long otherwise) {
        long told = deviceNumber(device, what, 0);
        return told > 0 ? told : otherwise;
    }

    // ---- contexts ----

    static cl_context createContext(cl_platform_id platform, cl_device_id[] devices) {
        cl_context_properties properties = new cl_context_properties();
        properties.addProperty(CL.CL_CONTEXT_PLATFORM, platform);
        synchronized (JOCL_CONTEXTS) {
            return make(
                    Kind.CONTEXT,
                    "creating a context",
                    status -> CL.clCreateContext(properties, devices.length, devices, null, null, status));
        }
    }

    static void release(cl_context context) {
        NativeLedger.freed(Kind.CONTEXT);
        synchronized (JOCL_CONTEXTS) {
            succeeds(() -> CL.clReleaseContext(context));
        }
    }

    // ---- the calls of a chunk: no strings unless something fails ----

    static cl_mem createBuffer(cl_context context, long flags, long bytes, @Nullable Pointer host) {
        return make(
                () -> "creating a buffer of " + bytes + " bytes",
                status -> CL.clCreateBuffer(context, flags, bytes, host, status));
    }

    static cl_mem createSubBuffer(cl_mem parent, long origin, long bytes) {
        cl_buffer_region region = new cl_buffer_region(origin, bytes);
        return make(
                () -> "creating a sub-buffer of " + bytes + " bytes at " + origin,
                status -> CL.clCreateSubBuffer(
                        parent, CL.CL_MEM_READ_WRITE, CL.CL_BUFFER_CREATE_TYPE_REGION, region, status));
    }

    static void setArg(cl_kernel kernel, int index, long bytes, @Nullable Pointer value) {
        require(status(() -> CL.clSetKernelArg(kernel, index, bytes, value)), "setting argument ", index, "");
    }

    static void flush(cl_command_queue queue) {
        check("flushing a queue", () -> CL.clFlush(queue));
    }

    static void waitFor(cl_event... events) {
        check("waiting for the device", () -> CL.clWaitForEvents(events.length, events));
    }

    /**
     * Whether a command has ended, well or not; also if the driver cannot tell, as whoever waits for it will see.
     *
     * @param target leads to {@code status}
     */
    static boolean hasEnded(cl_event event, Pointer target, ByteBuffer status) {
        int what = CL.CL_EVENT_COMMAND_EXECUTION_STATUS;
        return !succeeds(() -> CL.clGetEventInfo(event, what, Integer.BYTES, target, null))
                || status.getInt(0) <= CL.CL_COMPLETE;
    }

    // Failed releases are told by the checks on what went before, never thrown from here.

    static void release(cl_event event) {
        NativeLedger.freed(Kind.EVENT);
        succeeds(() -> CL.clReleaseEvent(event));
    }

    static void release(cl_mem mem) {
        succeeds(() -> CL.clReleaseMemObject(mem));
    }
}
