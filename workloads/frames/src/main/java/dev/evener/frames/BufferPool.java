package dev.evener.frames;

import dev.evener.DataBuffer;
import dev.evener.DeviceInfo;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.frames.FrameStreamBuilder.Metadata;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.OwnBuffers;
import dev.evener.kernels.pipeline.PipelineBuilder;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.RunLengths;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tuning.Tuning;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of frames under way, used again, and within a budget of the host's memory: who reads a frame that is beyond it with its picture
 * waits, unless that is the oldest that has not left the devices. That one never waits for another, so that a frame is processed however large
 * it is; nor does a picture. Of frames as they are read there is at most one for each reader, and those that devices have and find next.
 *
 * <p><b>By need.</b> Page-locked memory takes longer to make than a frame to be read, and the more of it is made at once the longer. So none is
 * made while a frame that was read waits for a device, which more memory would not help, nor for more frames at once than devices take at
 * once: who reads waits for memory that devices are done with. Any thread.
 */
final class BufferPool implements AutoCloseable {
    /** Sizes of code up to that of the pixels: a sixteenth of these is touched and locked in vain at most. */
    private static final int CODE_STEPS = 16;

    /**
     * Of frames that share a job, as they are decoded: a job of so many takes a GPU as long as its launches take the host, so that more would
     * only come later.
     */
    private static final long SHARED = 1 << 24;

    /**
     * Page-locked for each device with memory of its own, at most: what its bus takes in 15 ms, of which more readers than a few are never
     * ahead, as they share the host's memory. With what pictures come back in it stays within a gigabyte.
     */
    private static final long MOST_LOCKED = 3L << 28;

    private final Evener evener;
    private final Allocator memory;
    private final Tuning tuning;
    private final PictureFormat format;
    private final int quality;
    private final Metadata metadata;
    private final boolean inPlace; // whether a device works in the host's memory; else what is made has none there
    private final boolean expands; // whether a device has memory of its own: code is less than pixels for the bus
    private final int atDevices;
    private final long mostLocked;
    private final int slots;
    private final int readers;
    private final int inputs;
    private final boolean shares;

    private final long budget;

    // All guarded by this.
    private final ArrayDeque<FrameMemory> freeFrames = new ArrayDeque<>(); // the last ones given back first
    private final ArrayDeque<PictureMemory> freePictures = new ArrayDeque<>();
    private final TreeSet<Long> ahead = new TreeSet<>();
    private long bytes; // of all buffers, free or not
    private long mostBytes;
    private final List<FrameMemory> taken = new ArrayList<>();
    private long mostCode; // of frames of so many bytes as they are decoded:
    private long codeOf;
    private boolean stopped;

    BufferPool(FrameStreamBuilder options) {
        this.evener = options.evener;
        this.memory = options.memory;
        this.tuning = options.tuning;
        this.format = options.format;
        this.quality = options.quality;
        this.metadata = options.metadata;
        this.inPlace = evener.devices().stream().anyMatch(DeviceInfo::sharesHostMemory);
        this.expands = !evener.devices().stream().allMatch(DeviceInfo::sharesHostMemory);
        this.budget = options.budget;
        this.readers = options.decoders;
        this.inputs = options.inputs.size();
        this.shares = options.shares();
        this.mostLocked =
                inPlace ? Long.MAX_VALUE : MOST_LOCKED * evener.devices().size();
        this.atDevices =
                evener.devices().stream().mapToInt(PipelineBuilder::itemsAtOnce).sum();
        this.slots = options.decoders + options.writers + atDevices + 1;
    }

    /** The most that buffers had at once. */
    synchronized long mostBytes() {
        return mostBytes;
    }

    /** How many frames are under way: those being read, those that devices have and find next or that are written, and one that waits. */
    int slots() {
        return slots;
    }

    /** Some buffers and their bytes on the host. Used by one thread at a time. */
    private abstract class Buffers {
        private final long[] reserved;

        /** What they are. */
        final OwnBuffers own = new OwnBuffers();

        Buffers(int count) {
            reserved = new long[count];
        }

        /** Bytes to allocate for these needs; what is smaller than needed is replaced. */
        final long growth(long... needed) {
            long sum = 0;
            for (int i = 0; i < needed.length; i++) {
                sum += Math.max(0, needed[i] - reserved[i]);
            }
            return sum;
        }

        /** With the pool's lock held. */
        final void reserve(long... needed) {
            bytes += growth(needed);
            mostBytes = Math.max(mostBytes, bytes);
            for (int i = 0; i < needed.length; i++) {
                reserved[i] = Math.max(reserved[i], needed[i]);
            }
        }

        final long total() {
            long all = 0;
            for (long each : reserved) {
                all += each;
            }
            return all;
        }

        /** Frees them, with the pool's lock held. */
        void close() {
            bytes -= total();
            own.close();
        }
    }

    /** What goes on with a frame's memory: nothing, it is made, the frame is read into it, waits for a device, is with one. */
    private enum State {
        IDLE,
        MAKING,
        READING,
        WAITING,
        AT_DEVICES
    }

    /** What a frame needs that is read; of either coding of pixels, so that none takes another's place where both come. */
    final class FrameMemory extends Buffers {
        private final OwnBuffer<ManagedBuffer> words = own.add(evener::allocateManaged);
        private final OwnBuffer<ManagedBuffer> floats = own.add(evener::allocateManaged);
        private final OwnBuffer<ManagedBuffer> code = own.add(evener::allocateManaged);
        private final OwnBuffer<ManagedBuffer> lost = own.add(evener::allocateManaged);

        private int room = 1; // for frames of one size
        private int count; // of those that are there
        private int codeEnd; // in bytes, of all their code
        private int[] ends = new int[1];
        private State state = State.IDLE; // guarded by the pool
        private long picture; // bytes that it will need, so is this

        private FrameMemory() {
            super(3);
        }

        /** All of it is there. Once it was taken; idempotent. */
        void isMade() {
            synchronized (BufferPool.this) {
                if (state == State.MAKING) {
                    state = State.READING;
                    BufferPool.this.notifyAll();
                }
            }
        }

        /** The frame's pixels as its file has them. */
        ManagedBuffer frame(FrameFile file, boolean expanded) {
            synchronized (BufferPool.this) {
                reserve(needs(file, expanded, room)); // more than was taken if the file has other code than it seemed
            }
            return LoadedFrame.of(file, room, isFloats(file) ? floats : words, evener);
        }

        /**
         * Reads the frame's run-length code, which devices expand.
         *
         * @param seen if anybody looks at them here, is given its rows, or null if the code is damaged
         */
        RunLengths runs(FrameFile file, @Nullable Consumer<@Nullable IntFunction<ByteBuffer>> seen)
                throws FrameException {
            RunLengths read = unread(file);
            count = 0;
            codeEnd = 0;
            noteEnd(file);
            ((ManagedBuffer) read.coded()).overwrite(0, file.codedBytes(), into -> {
                isMade();
                ByteBuffer code = into.bytes();
                file.readCoded(code.duplicate());
                if (seen != null) {
                    seen.accept(read.rows(file.size(), code));
                }
            });
            return read;
        }

        /** The same before it is read. */
        private RunLengths unread(FrameFile file) {
            ManagedBuffer bytes = code.atLeast(ElementType.UBYTE, codeBytes(file, room));
            return new RunLengths(bytes, file.codedBytes(), lost(file));
        }

        private ManagedBuffer lost(FrameFile file) {
            return lost.atLeast(ElementType.UINT, (long) room * file.size().height());
        }

        private void noteEnd(FrameFile file) {
            codeEnd += file.codedBytes();
            ends[count++] = codeEnd;
        }

        /** How many frames may be in it that share a job. */
        int room() {
            return room;
        }

        /**
         * Reads the code of another frame of this size behind what is there.
         *
         * @return false if there is no room
         */
        boolean add(FrameFile file, RunLengths before) throws FrameException {
            ManagedBuffer bytes = (ManagedBuffer) before.coded();
            long end = RunLengths.ends(codeEnd + file.codedBytes()) + (count + 1L) * Integer.BYTES;
            if (count == room || end > bytes.elements()) {
                return false;
            }
            bytes.overwrite(codeEnd, file.codedBytes(), into -> file.readCoded(into.bytes()));
            noteEnd(file);
            return true;
        }

        /** All code that is there. */
        RunLengths all(RunLengths first) {
            if (count > 1) {
                ManagedBuffer bytes = (ManagedBuffer) first.coded();
                bytes.overwrite(
                        RunLengths.ends(codeEnd),
                        (long) count * Integer.BYTES,
                        into -> into.bytes().asIntBuffer().put(0, ends, 0, count));
            }
            return new RunLengths(first.coded(), codeEnd, first.lost(), count);
        }
    }

    /** What a picture needs, and a frame from when devices get it until it is written. */
    final class PictureMemory extends Buffers {
        private @Nullable FrameJob work;
        private int room = 1; // for pictures of one job
        private final OwnBuffer<ManagedBuffer> pixels = own.add(evener::allocateManaged);
        private final OwnBuffer<DataBuffer> coded =
                own.add(format.isPng() ? evener::allocateManaged : memory::allocate);

        private PictureMemory() {
            super(2);
        }

        /** Its job, with memory of its own, of which building it takes some: made by who asks first, and used again with the picture. */
        FrameJob work() {
            FrameJob present = work;
            if (present == null) {
                present = new FrameJob(memory, tuning, format, quality, metadata);
                work = present;
            }
            return present;
        }

        /** The picture, which stays where it was made. */
        ManagedBuffer pixels(FrameLayout layout) {
            return pixels.atLeast(ElementType.UINT, room * format.pixelWords(layout));
        }

        /** The picture as its file will have it: of PNG where it was made, as only the file's bytes are fetched. */
        DataBuffer coded(FrameLayout layout) {
            return coded.atLeast(ElementType.UBYTE, room * format.mostBytes(layout));
        }

        @Override
        void close() {
            FrameJob present = work;
            if (present != null) {
                present.close();
            }
            super.close();
        }
    }

    /** Whether devices expand this one, for a picture of this size. */
    boolean expands(FrameFile file, FrameLayout picture) {
        return expands && file.codedBytes() > 0 && picture.equals(file.size());
    }

    private static boolean isFloats(FrameFile file) {
        return file.coding().type() == ElementType.FLOAT;
    }

    /**
     * How many frames like this one may share a job: as many as are small together, and no more than leave frames and memory for every reader
     * and device; a power of two, so that there are jobs of few sizes.
     */
    synchronized int together(FrameFile file, FrameLayout picture, ToneMapSettings settings) {
        if (!shares || !expands(file, picture) || !FrameJob.mayShare(format, picture, settings)) {
            return 1;
        }
        long[] frame = needs(file, true, 1);
        long each = LongStream.of(frame).sum()
                + LongStream.of(pictureBytes(picture, 1)).sum();
        long most = Math.min(SHARED / file.coding().bytes(file.size()), most() / each / (readers + atDevices));
        return (int) Long.highestOneBit(Math.max(1, Math.min(most, inputs / (readers + atDevices))));
    }

    private long[] needs(FrameFile file, boolean expanded, int room) {
        long bytes = expanded && !inPlace ? 0 : room * file.coding().bytes(file.size());
        boolean floats = isFloats(file);
        return new long[] {floats ? 0 : bytes, floats ? bytes : 0, expanded ? codeBytes(file, room) : 0};
    }

    /** The largest code so far of frames of one size, in few steps, so that buffers need not be replaced and jobs are alike. */
    private synchronized long codeBytes(FrameFile file, int room) {
        long all = file.coding().bytes(file.size());
        if (all != codeOf) {
            codeOf = all;
            mostCode = 0;
        }
        long step = all / CODE_STEPS;
        mostCode = Math.max(mostCode, (file.codedBytes() + step - 1) / step * step);
        return room == 1 ? mostCode : room * (mostCode + Integer.BYTES) + Integer.BYTES; // with where each ends
    }

    private long[] pictureBytes(FrameLayout layout, int room) {
        return new long[] {
            inPlace ? room * format.pixelWords(layout) * Integer.BYTES : 0,
            inPlace || !format.isPng() ? room * format.mostBytes(layout) : 0
        };
    }

    /** The job of a frame that has not been read, with buffers of which no memory is touched, until the pool is closed. */
    Job unread(FrameFile file, FrameLayout size, ToneMapSettings settings) {
        FrameMemory frame = new FrameMemory();
        PictureMemory picture = new PictureMemory();
        synchronized (this) {
            giveBack(freeFrames, frame);
            giveBack(freePictures, picture);
        }
        RunLengths runs = expands(file, size) ? frame.unread(file) : null;
        ManagedBuffer pixels = frame.frame(file, runs != null);
        return picture.work().of(file, size, runs, pixels, picture.pixels(size), picture.coded(size), settings);
    }

    /** A frame with a higher number than those before is on its way. */
    synchronized void begin(long frame) {
        ahead.add(frame);
    }

    /** The frame was read, and waits for a device. */
    synchronized void isRead(FrameMemory frame) {
        frame.state = State.WAITING;
    }

    /** Whether another frame would wait if it was read now: devices have all that they take at once, or one waits already. */
    synchronized boolean wouldWait() {
        return count(State.WAITING) > 0 || count(State.AT_DEVICES) >= atDevices;
    }

    /** Those that share a job count as one. */
    private int count(State state) {
        int count = 0;
        for (FrameMemory each : taken) {
            count += each.state == state ? 1 : 0;
        }
        return count;
    }

    /** A frame has left the devices, or failed: the next one is the oldest. */
    synchronized void passed(long frame) {
        if (ahead.remove(frame)) {
            notifyAll();
        }
    }

    /**
     * Room for a frame, to be given back, and for its picture, to be taken. Memory is allocated when its buffers are asked for, by the caller's
     * thread.
     *
     * @param ofPicture its size; null if there will be none
     * @param expanded whether devices expand them
     * @param room for so many frames like this one, with their pictures
     * @throws CancellationException if the pool is stopped
     */
    synchronized FrameMemory take(
            FrameFile file, @Nullable FrameLayout ofPicture, boolean expanded, int room, long frame)
            throws InterruptedException {
        long[] needed = needs(file, expanded, room);
        long picture = ofPicture == null
                ? 0
                : LongStream.of(pictureBytes(ofPicture, room)).sum();
        while (true) {
            if (stopped) {
                throw new CancellationException();
            }
            FrameMemory present = best(freeFrames, needed);
            FrameMemory best = present == null ? new FrameMemory() : present;
            long growth = best.growth(needed);
            long idlePictures = sum(freePictures);
            // Pictures of frames that devices do not have yet will be used: else idle memory goes, to be made again.
            long promised = 0;
            for (FrameMemory each : taken) {
                promised += each.picture;
            }
            long used = bytes - sum(freeFrames) - idlePictures + promised;
            boolean pays = growth == 0 || (count(State.WAITING) == 0 && count(State.MAKING) < atDevices);
            boolean fits =
                    used + best.total() + growth + picture <= most() && taken.size() < readers + atDevices && pays;
            if (fits || ahead.first() == frame) {
                long more = growth + Math.max(0, promised + picture - idlePictures);
                makeRoom(freeFrames, best, more);
                makeRoom(freePictures, best, more);
                freeFrames.remove(best);
                best.reserve(needed);
                best.room = room;
                best.ends = best.ends.length < room ? new int[room] : best.ends;
                best.picture = picture;
                best.state = growth > 0 ? State.MAKING : State.READING;
                taken.add(best);
                return best;
            }
            wait();
        }
    }

    private static long sum(Iterable<? extends Buffers> all) {
        long sum = 0;
        for (Buffers each : all) {
            sum += each.total();
        }
        return sum;
    }

    private long most() {
        return Math.min(budget, mostLocked);
    }

    /** Frees what lies idle, the longest first, until there is room for so much more. */
    private void makeRoom(ArrayDeque<? extends Buffers> free, Buffers except, long growth) {
        for (Iterator<? extends Buffers> idle = free.descendingIterator();
                bytes + growth > most() && idle.hasNext(); ) {
            Buffers each = idle.next();
            if (each != except) {
                idle.remove();
                each.close();
            }
        }
    }

    /** Those free that have to grow least; null if there are none. */
    private static <B extends Buffers> @Nullable B best(ArrayDeque<B> free, long[] needed) {
        B best = null;
        for (B each : free) {
            if (best == null || each.growth(needed) < best.growth(needed)) {
                best = each;
            }
        }
        return best;
    }

    /** Memory for this frame's picture, to be given back; for none if there is no layout, but a job. */
    synchronized PictureMemory takePicture(@Nullable FrameLayout layout, FrameMemory frame) {
        frame.picture = 0;
        frame.state = State.AT_DEVICES;
        notifyAll();
        long[] needed = layout == null ? new long[2] : pictureBytes(layout, frame.room);
        PictureMemory present = best(freePictures, needed);
        PictureMemory best = present == null ? new PictureMemory() : present;
        freePictures.remove(best);
        best.reserve(needed);
        best.room = frame.room;
        return best;
    }

    /** The buffers, if there are any, have no user any more. */
    synchronized void giveBack(@Nullable FrameMemory frame) {
        if (frame != null) {
            frame.state = State.IDLE;
            taken.remove(frame);
        }
        giveBack(freeFrames, frame);
    }

    /** The same of a picture's. */
    synchronized void giveBack(@Nullable PictureMemory picture) {
        giveBack(freePictures, picture);
    }

    /** With the lock held. */
    private <B extends Buffers> void giveBack(ArrayDeque<B> free, @Nullable B buffers) {
        if (buffers != null && bytes > most()) {
            buffers.close();
        } else if (buffers != null) {
            free.addFirst(buffers);
        }
        notifyAll();
    }

    /** Nobody waits any longer. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    /** Frees those that were given back. */
    @Override
    public synchronized void close() {
        freeFrames.forEach(Buffers::close);
        freeFrames.clear();
        freePictures.forEach(Buffers::close);
        freePictures.clear();
    }
}
