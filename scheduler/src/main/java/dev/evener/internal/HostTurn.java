package dev.evener.internal;

import dev.evener.DataBuffer;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.data.Traffic;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What one run of a host step sees of the buffers of its job. One thread. */
public final class HostTurn implements DataBuffer.HostAccess {
    /**
     * A part that the step sees.
     *
     * @param view what it was given: the memory itself, or a copy where that lies in several segments
     */
    private record Part(LogicalBuffer buffer, long from, ByteBuffer view, boolean copied) {}

    private final UnaryOperator<@Nullable Range> standingFor;
    private final Collection<Range> arguments;
    private final Collection<Range> writes;
    private final Traffic traffic;
    private final List<Part> changed = new ArrayList<>();
    private boolean over;

    /**
     * @param standingFor what the job has in the place of a buffer that the step names, or null if it does not know that one
     * @param arguments what the step may read, besides {@code writes}, of which alone it may change something
     * @param traffic where it is counted what is fetched
     */
    public HostTurn(
            UnaryOperator<@Nullable Range> standingFor,
            Collection<Range> arguments,
            Collection<Range> writes,
            Traffic traffic) {
        this.standingFor = standingFor;
        this.arguments = arguments;
        this.writes = writes;
        this.traffic = traffic;
    }

    @Override
    public ByteBuffer read(DataBuffer buffer, long element, long count) {
        Range of = standingFor.apply(Range.of(buffer));
        if (of == null || !(contain(arguments, of) || contain(writes, of))) {
            throw new IllegalArgumentException("a host step sees the buffers of its job; this "
                    + Range.of(buffer).text() + " is no argument of it");
        }
        return part(of, element, count).view().asReadOnlyBuffer().order(ByteOrder.nativeOrder());
    }

    @Override
    public ByteBuffer update(DataBuffer buffer, long element, long count) {
        Range of = standingFor.apply(Range.of(buffer));
        if (of == null || !contain(writes, of)) {
            throw new IllegalArgumentException("a host step changes what it was declared to write; name this "
                    + Range.of(buffer).text() + " in hostStep(step, writes...)");
        }
        Part part = part(of, element, count);
        part.buffer()
                .directory()
                .hostWrites(part.from(), part.from() + part.view().capacity());
        changed.add(part);
        return part.view().duplicate().order(ByteOrder.nativeOrder());
    }

    private static boolean contain(Collection<Range> all, Range one) {
        return all.stream().anyMatch(each -> each.contains(one));
    }

    private Part part(Range range, long element, long count) {
        if (over) {
            throw new IllegalStateException("the host step is over");
        }
        Objects.checkFromIndexSize(element, count, range.elements());
        LogicalBuffer of = range.buffer();
        long from = (range.first() + element) * of.type().bytes();
        int length = Math.toIntExact(count * of.type().bytes());
        of.directory().bringToHost(from, from + length, traffic);
        if (of.liesInOneSegment(from, length)) {
            return new Part(of, from, of.part(from, length), false);
        }
        ByteBuffer copy = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        of.forEachPart(from, length, (part, done) -> copy.put(done, part, 0, part.capacity()));
        return new Part(of, from, copy, true);
    }

    /** The step has returned: what it changed is current on the host alone. */
    public void end() {
        over = true;
        for (Part each : changed) {
            int length = each.view().capacity();
            if (each.copied()) {
                each.buffer()
                        .forEachPart(
                                each.from(), length, (part, done) -> part.put(0, each.view(), done, part.capacity()));
            }
            each.buffer().directory().hostWrote(each.from(), each.from() + length);
        }
    }
}
