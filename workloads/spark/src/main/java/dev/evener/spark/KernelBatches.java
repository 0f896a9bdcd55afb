package dev.evener.spark;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.kernels.Submission;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.vectorized.OffHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/** The batches of a partition, of which several together, since Spark's have some thousand rows, are a job's. One thread. */
final class KernelBatches implements Iterator<ColumnarBatch> {
    /** Rows of a job: its columns fit a cache, and its launch is a small part of it. */
    private static final int ROWS = 1 << 18;

    /** Bytes of results that are copied at once, through what a core's first cache holds. */
    private static final int CHUNK = 1 << 14;

    private final Evener evener = EvenerPlugin.evener();
    private final Iterator<ColumnarBatch> batches;
    private final List<ElementType> types;
    private final List<KernelExec.Made> made;

    /** Of the columns that are needed, by their places in the child, and behind them of those that kernels make. */
    private final Map<Integer, HostBuffer> buffers = new TreeMap<>();

    private @Nullable ColumnarBatch ahead; // had no room in the last one
    private int room;
    private final byte[] bytes = new byte[CHUNK];
    private final OnHeapColumnVector[] out; // of the last batch, which is valid until the next, as everywhere in Spark

    /** @param types of the child's columns */
    KernelBatches(Iterator<ColumnarBatch> batches, List<ElementType> types, List<KernelExec.Made> made) {
        this.batches = batches;
        this.types = types;
        this.made = made;
        this.out = new OnHeapColumnVector[made.size()];
        TaskCompletionListener end = context -> free();
        TaskContext.get().addTaskCompletionListener(end);
    }

    @Override
    public boolean hasNext() {
        return ahead != null || batches.hasNext();
    }

    @Override
    public ColumnarBatch next() {
        ColumnarBatch batch = ahead == null ? batches.next() : ahead;
        allocate(batch.numRows());
        int rows = 0;
        Map<Integer, BitSet> nulls = new TreeMap<>();
        while (batch != null && batch.numRows() <= room - rows) {
            add(batch, rows, nulls);
            rows += batch.numRows();
            batch = batches.hasNext() ? batches.next() : null;
        }
        ahead = batch;
        for (int i = 0; i < out.length; i++) {
            KernelExec.Made each = made.get(i);
            int place = each.kernel() == null ? each.columns().get(0) : types.size() + i;
            HostBuffer buffer = buffers.get(place);
            if (each.kernel() != null && rows > 0) {
                Submission.run(evener, job(each, buffer, rows));
            }
            BitSet none = new BitSet();
            each.columns().forEach(from -> none.or(nulls.getOrDefault(from, new BitSet())));
            fill(out[i], buffer, rows);
            none.stream().forEach(out[i]::putNull);
        }
        return new ColumnarBatch(out, rows);
    }

    private void allocate(int first) {
        if (first > room || buffers.isEmpty()) {
            free();
            room = Math.max(ROWS, first);
            for (int i = 0; i < made.size(); i++) {
                KernelExec.Made each = made.get(i);
                out[i] = new OnHeapColumnVector(room, ColumnKernel.TYPES.get(each.type()));
                each.columns().forEach(from -> buffers.computeIfAbsent(from, c -> evener.allocate(types.get(c), room)));
                if (each.kernel() != null) {
                    buffers.put(types.size() + i, evener.allocate(each.type(), room));
                }
            }
        }
    }

    private void add(ColumnarBatch batch, int at, Map<Integer, BitSet> nulls) {
        buffers.forEach((place, buffer) -> {
            if (place < batch.numCols() && batch.numRows() > 0) {
                ColumnVector from = batch.column(place);
                buffer.put(at, values(buffer.type(), from, batch.numRows()));
                for (int row = 0; from.hasNull() && row < batch.numRows(); row++) {
                    if (from.isNullAt(row)) {
                        nulls.computeIfAbsent(place, key -> new BitSet()).set(at + row);
                    }
                }
            }
        });
    }

    private Job job(KernelExec.Made what, HostBuffer results, int rows) {
        ColumnKernel kernel = what.kernel();
        JobBuilder job =
                Job.named(kernel.function()).source(kernel.source()).units(rows).kernel(kernel.function());
        what.columns().forEach(from -> job.reads(buffers.get(from), Access.slice(1)));
        job.writes(results, Access.slice(1));
        return job.scalar(kernel.scalars().toArray(Number[]::new)).build();
    }

    private static Buffer values(ElementType type, ColumnVector from, int rows) {
        if (from instanceof OffHeapColumnVector there && !there.hasDictionary()) {
            return MemoryUtil.directBuffer(there.valuesNativeAddress(), rows * type.bytes())
                    .order(ByteOrder.nativeOrder());
        }
        return switch (type) {
            case INT -> IntBuffer.wrap(from.getInts(0, rows));
            case LONG -> LongBuffer.wrap(from.getLongs(0, rows));
            case FLOAT -> FloatBuffer.wrap(from.getFloats(0, rows));
            default -> DoubleBuffer.wrap(from.getDoubles(0, rows));
        };
    }

    private void fill(OnHeapColumnVector column, HostBuffer buffer, int rows) {
        column.reset();
        int most = bytes.length / buffer.type().bytes();
        for (int at = 0; at < rows; at += most) {
            int count = Math.min(most, rows - at);
            buffer.get(
                    at, ByteBuffer.wrap(bytes, 0, count * buffer.type().bytes()).order(ByteOrder.nativeOrder()));
            switch (buffer.type()) { // the order of every machine that Spark runs on
                case INT -> column.putIntsLittleEndian(at, count, bytes, 0);
                case LONG -> column.putLongsLittleEndian(at, count, bytes, 0);
                case FLOAT -> column.putFloatsLittleEndian(at, count, bytes, 0);
                default -> column.putDoublesLittleEndian(at, count, bytes, 0);
            }
        }
    }

    private void free() {
        buffers.values().forEach(HostBuffer::close);
        buffers.clear();
    }
}
