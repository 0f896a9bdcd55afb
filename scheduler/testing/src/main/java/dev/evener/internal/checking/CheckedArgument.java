package dev.evener.internal.checking;

import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.Argument.View;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.job.Layout;
import dev.evener.internal.lane.Around;
import dev.evener.internal.lane.GuardedArgument;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An argument of the checking mode: the given bytes and their margins are sent and fetched with each piece, all of
 * them. Where margins are small there are guard zones beyond them, which are looked at when {@link CheckedChunk} asks.
 */
final class CheckedArgument extends GuardedArgument {
    private static final long MOST_MARGIN = 32 << 20;

    /**
     * Bytes of a margin and the zone beyond it, at least. Each megabyte that is looked at costs a chunk a millisecond
     * or so.
     */
    private static final int REACH = 4 << 20;

    private int zone; // bytes of each
    private long filled; // what is in them
    private boolean looksFarAway; // after each kernel, which takes long
    private boolean lessened;
    private ByteBuffer got = ByteBuffer.allocateDirect(0); // what was fetched

    CheckedArgument(int index, ClContext context, ClCommands commands, int alignment) {
        super(index, context, commands, alignment, MOST_MARGIN);
    }

    @Override
    protected void begin(JobSpec.Phase phase, int units, Around around, boolean mayChange) {
        super.begin(phase, units, around, mayChange);
        lessened = false;
    }

    @Override
    protected DeviceBuffer allocate(long whole) {
        zone = Math.max(0, REACH - front);
        got = image(got, Math.max(between, zone));
        filled = 0;
        high = between;
        return context.allocate((long) zone + between + zone);
    }

    @Override
    protected int fill() {
        if (zone > 0 && filled != number()) {
            filled = number();
            ByteBuffer one = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            Around.fill(got, 0, zone, one.putLong(0, filled), 0);
            commands.send(all, 0, zone, got, 0);
            commands.send(all, zone + between, zone, got, 0);
        }
        sent = image(sent, between);
        fillIn(sent);
        boolean before = around == Around.LESS_BEFORE;
        if ((before || around == Around.LESS_AFTER)
                && declared() instanceof Argument.Buffer b
                && b.read()
                && b.view() == View.AROUND) {
            lessen(b, before);
        }
        commands.send(all, zone, between, sent, 0);
        return zone;
    }

    /** What zones are filled with: at first something that is fit for an index, and unlikely to be written. */
    private long number() {
        return switch (around) {
            case NEIGHBOURS, LESS_BEFORE, LESS_AFTER -> 61;
            case REPEATED -> 67;
            case POISON, OTHER_POISON -> 0xDBDBDBDB_DBDBDBDBL;
        };
    }

    /** Replaces the outer half of a halo by values of the units themselves, which are fit for an index if those are. */
    private void lessen(Argument.Buffer b, boolean before) {
        Layout its = b.layout();
        long unit = b.bytesPerUnit();
        int own = begin(b, 0) + (int) (b.range().from() + pieceUnit * unit - b.seenFrom(0, pieceUnit, pieceUnits));
        int ownEnd = (int) Math.min(end(b, 0), own + pieceUnits * unit);
        long kept = before ? its.before() - its.before() / 2 : its.after() - its.after() / 2;
        int inner = (int) (unit * Math.min(kept, (before ? own - begin(b, 0) : end(b, 0) - ownEnd) / unit));
        int first = before ? begin(b, 0) : ownEnd + inner;
        int count = before ? own - inner - first : end(b, 0) - first;
        ByteBuffer usual = ByteBuffer.allocate(count).put(0, sent, first, count);
        Around.fill(
                sent,
                first,
                first + count,
                sent.duplicate().position(own).limit(ownEnd).slice(),
                0);
        lessened |= !usual.equals(sent.slice(first, count));
    }

    /** Whether the present run replaced anything by {@link Around#LESS_BEFORE} or {@link Around#LESS_AFTER}. */
    boolean isLessened() {
        return lessened;
    }

    @Override
    protected void fetchAll() {
        commands.fetch(all, zone, between, got, 0);
    }

    @Override
    protected ByteBuffer held() {
        return got;
    }

    @Override
    public void free() {
        super.free();
        looksFarAway = false;
    }

    /** From now on zones are looked at after each kernel, until the chunk ends. */
    void lookFarAway() {
        looksFarAway = true;
    }

    @Override
    protected long changedFarAway() {
        return looksFarAway ? changedInZones() : NOWHERE;
    }

    /** Whether guard zones are not as they were when the run began. */
    boolean isChangedInZones() {
        return changedInZones() != NOWHERE;
    }

    private long changedInZones() {
        return Math.min(changedInZone(0), changedInZone(zone + between));
    }

    private long changedInZone(int begin) {
        int same = zone - Long.BYTES;
        if (same < 0) {
            return NOWHERE;
        }
        commands.fetch(all, begin, zone, got, 0);
        commands.flush();
        commands.await();
        // All numbers are as they were if the first one is, and every other is like the one before it.
        int at = got.getLong(0) != filled ? -Long.BYTES : got.slice(0, same).mismatch(got.slice(Long.BYTES, same));
        return at == -1 ? NOWHERE : begin - zone + Long.BYTES + at;
    }
}
