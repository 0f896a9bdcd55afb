package dev.evener.internal.memory;

import dev.evener.image.Image;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.PageLocked;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a lane keeps on its device from chunk to chunk, for both that may be under way: these may use the same memory, since one
 * in-order queue has the commands of both. Only where a chunk's pieces overlap it has a ring of its own for them. A device that
 * works on host memory in place has temporaries alone. Belongs to one lane's thread.
 */
public final class LaneMemory implements AutoCloseable {
    /** Buffers of each argument in a ring: one piece is sent, one computed and one fetched. */
    public static final int SETS = 3;

    private final ContextMemory context;
    private final ClQueue queue;
    private final MemoryBudget budget;
    private final int alignment;
    private final @Nullable PageLocked pageLocked;
    private final ClQueue downloads;
    private final Runnable idle;
    private final DeviceCopies copies;
    private final PinnedStaging.Copier copier =
            new PinnedStaging.Copier(Runtime.getRuntime().availableProcessors());
    private final List<Pool> pools = new ArrayList<>();
    private final Pool temporaries;
    private final Pool buffers;
    private final Map<ImagePlace, KeptImage> images =
            new LinkedHashMap<>(8, 0.75f, true); // those used last behind the others
    private long inImages; // bytes of these
    private long kept; // bytes in all pools, and in images
    private boolean closed; // guarded by downloads
    private volatile boolean waits; // for what other devices hold
    private volatile long waited; // nanoseconds altogether, in waits that are over

    /**
     * @param alignment where sub-buffers may begin
     * @param pageLocked through which pieces of pageable memory go, or null to send and fetch them as they are
     * @param downloads for what others need and only this device holds, on a queue of their own
     * @param idle waits until the device uses none of this
     */
    public LaneMemory(
            ContextMemory context,
            ClQueue queue,
            MemoryBudget budget,
            int alignment,
            @Nullable PageLocked pageLocked,
            ClQueue downloads,
            Runnable idle) {
        this.context = context;
        this.queue = queue;
        this.budget = budget;
        this.alignment = Math.max(1, alignment);
        this.pageLocked = pageLocked;
        this.idle = idle;
        this.temporaries = newPool();
        this.buffers = newPool();
        this.downloads = downloads;
        this.copies = new DeviceCopies(
                budget.device(), this::allocateInPlace, this::fetch, budget.copies(), budget.largest());
    }

    /** For others than the lane, which is at something else. Any thread. */
    private void fetch(DeviceBuffer from, long at, long count, ByteBuffer to) {
        synchronized (downloads) {
            if (closed) {
                throw new LaneFailure(Kind.DEVICE, "device " + budget.device() + " was opened anew");
            }
            downloads.run(commands -> commands.fetch(from, at, count, to, 0));
        }
    }

    /**
     * Memory that chunks have while they run, kept from one to the next and grown as needed: at each position one buffer in each of
     * {@link #SETS} sets.
     */
    final class Pool {
        private final List<@Nullable DeviceBuffer> all = new ArrayList<>(); // position by position, of each its sets

        /** The memory at a position in a set, of at least so many bytes; its content is lost when it grows. */
        DeviceBuffer ensure(int position, int set, long bytes) {
            int at = position * SETS + set;
            while (all.size() <= at) {
                all.add(null);
            }
            DeviceBuffer present = all.get(at);
            if (present == null || present.bytes() < bytes) {
                giveUp(all.set(at, null)); // first, so that it makes room
                long wanted = Math.max(1, bytes);
                present = allocate(wanted, () -> context.allocate(wanted));
                all.set(at, present);
            }
            return present;
        }
    }

    private Pool newPool() {
        Pool made = new Pool();
        pools.add(made);
        return made;
    }

    /** Arguments for the chunks of these commands, by their number, that are sent to the device and fetched. */
    public IntFunction<ArgumentMemory> copiedBy(ClCommands commands) {
        Pool ring = newPool();
        return index -> new CopiedArgument(index, commands, this, ring);
    }

    /** The memory of a temporary, by its number in the phase: the first of every phase is the same memory. */
    public DeviceBuffer temporary(int number, long bytes) {
        return temporaries.ensure(number, 0, bytes);
    }

    /** For chunks whose pieces do not overlap, by the arguments' numbers. */
    Pool buffers() {
        return buffers;
    }

    /** One of the images of a chunk, which kernels of other chunks may use alike. */
    private record ImagePlace(Image.Shape shape, boolean read, boolean written, int number) {}

    /**
     * An image of the device, for chunks to fill with what their kernels read and to take from what they write. It is
     * kept for later
     * chunks, whatever their data; what it holds beside is what earlier ones left.
     */
    public static final class KeptImage {
        private final DeviceBuffer image;
        private @Nullable Directory of; // what it holds all of
        private long first;
        private long changes;

        private KeptImage(DeviceBuffer image) {
            this.image = image;
        }

        /** The image itself. */
        public DeviceBuffer get() {
            return image;
        }

        /** Whether it was filled with all of what units see of an argument, which has not changed since. */
        public boolean holds(Argument.Buffer b) {
            Directory its = b.buffer().directory();
            return its.equals(of) && first == b.range().from() && changes == its.changes();
        }

        /** It is being filled with what some units see of an argument. */
        public void fills(Argument.Buffer b) {
            Directory its = b.buffer().directory();
            of = b.isSeenWhole() && !b.buffer().hasHostViews() ? its : null;
            first = b.range().from();
            changes = its.changes();
        }

        /** What it holds is in doubt. */
        public void distrust() {
            of = null;
        }
    }

    /**
     * One of the images of a chunk.
     *
     * @param number which of them, from 0
     */
    public KeptImage image(Image.Shape shape, boolean read, boolean written, int number) {
        ImagePlace place = new ImagePlace(shape, read, written, number);
        KeptImage present = images.get(place);
        if (present != null) {
            return present;
        }
        for (Iterator<KeptImage> oldest = images.values().iterator();
                inImages + shape.bytes() > budget.idleImages() && images.size() > number && oldest.hasNext(); ) {
            DeviceBuffer each = oldest.next().get();
            oldest.remove();
            inImages -= each.bytes();
            giveUp(each);
        }
        KeptImage made =
                new KeptImage(allocate(shape.bytes(), () -> context.context().image(shape, read, written)));
        inImages += shape.bytes();
        images.put(place, made);
        return made;
    }

    DeviceCopies copies() {
        return copies;
    }

    /**
     * Has the host hold what is to be sent from there: what a copy lacks, or all where there is none. May take as
     * long as other devices are busy.
     */
    void bringToHost(LogicalBuffer host, long from, long to, @Nullable DeviceCopy copy, Traffic traffic) {
        waiting(() -> {
            if (copy == null) {
                host.directory().bringToHost(from, to, traffic);
            } else {
                copy.bringToHost(from, to, traffic);
            }
        });
    }

    /** What a chunk writes is to be fetched: nothing older is on its way to the host then, for which others' fetches may have to end. */
    void hostWrites(LogicalBuffer host, long from, long to) {
        waiting(() -> host.directory().hostWrites(from, to));
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the lane's thread alone writes
    private void waiting(Runnable work) {
        waits = true;
        long since = System.nanoTime();
        try {
            work.run();
        } finally {
            waited += System.nanoTime() - since;
            waits = false; // last: who sees that counts the wait
        }
    }

    /** Whether the lane is at that. Any thread. */
    public boolean waits() {
        return waits;
    }

    /** How long it was at that altogether, in nanoseconds, in waits that are over. Any thread. */
    public long waitedNanos() {
        return waited;
    }

    /** Id of the device. */
    String device() {
        return budget.device();
    }

    /** Moves what was fetched to make room, since this was last called, to the books of a chunk. */
    public void countEvicted(Traffic chunk) {
        copies.countEvicted(chunk);
    }

    int alignment() {
        return alignment;
    }

    /** A block of at least so many bytes that the device transfers at its full speed; null if there is none. */
    PageLocked.@Nullable Block takeLocked(int bytes) {
        return pageLocked == null ? null : pageLocked.take(Math.max(bytes, PageLocked.LEAST));
    }

    PinnedStaging newStaging() {
        return new PinnedStaging(pageLocked, copier, SETS);
    }

    /** Bytes that device copies may take beside all else. */
    long roomForCopies() {
        return budget.total() - kept;
    }

    /** Frees what no chunk needs at present; false if there was nothing. Not during a chunk. */
    public boolean dropUnused() {
        boolean any = copies.drop();
        for (Pool pool : pools) {
            for (DeviceBuffer each : pool.all) {
                any |= giveUp(each);
            }
            pool.all.clear();
        }
        for (KeptImage each : images.values()) {
            any |= giveUp(each.get());
        }
        images.clear();
        inImages = 0;
        return any;
    }

    private boolean giveUp(@Nullable DeviceBuffer memory) {
        if (memory == null) {
            return false;
        }
        idle.run();
        memory.close();
        kept -= memory.bytes();
        return true;
    }

    /** The device failed: what it holds is in doubt. */
    public void distrust() {
        images.values().forEach(KeptImage::distrust);
        copies.forget("only device " + budget.device() + " held them, which failed");
    }

    /**
     * Memory of which kernels will see parts. NVIDIA's driver finds it a place at its first use; were that the use of a part,
     * the release of each part would move all of the memory (60 ms for 800 MB on an H200).
     */
    private DeviceBuffer allocateInPlace(long bytes) {
        DeviceBuffer buffer = context.allocate(bytes);
        try {
            queue.touch(buffer);
            return buffer;
        } catch (RuntimeException e) {
            buffer.close();
            throw e;
        }
    }

    /** Memory that is kept. */
    private DeviceBuffer allocate(long bytes, Supplier<DeviceBuffer> maker) {
        copies.shrinkTo(roomForCopies() - bytes);
        DeviceBuffer made = copies.inWhatIsLeft(maker);
        kept += bytes;
        return made;
    }

    @Override
    public void close() {
        dropUnused();
        copier.close();
        synchronized (downloads) {
            closed = true;
        }
    }
}
