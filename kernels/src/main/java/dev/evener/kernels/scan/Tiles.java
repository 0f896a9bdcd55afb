package dev.evener.kernels.scan;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The Java form of the scan kernels, tile by tile; what does not fill a tile is scanned with it too. Holds no state: threads
 * share it.
 */
abstract class Tiles {
    /** Elements of a tile, as in scan.cl. */
    static final int TILE = 4096;

    /** Elements that are scanned in registers, runs of a block, blocks of a tile and tiles of a row. */
    static final int RUN = 16;

    final ScanValues values;

    Tiles(ScanValues values) {
        this.values = values;
    }

    static Tiles of(ScanValues values) {
        return values.floatingSum() ? new FloatTiles(values) : new IntegerTiles(values);
    }

    /** Kernel scan_totals. */
    final void totals(JvmKernel.Chunk chunk) {
        ByteBuffer in = chunk.buffer(0);
        ByteBuffer totals = chunk.buffer(1);
        for (int tile = 0; tile < chunk.units(); tile++) {
            total(in, tile * TILE, totals, tile);
        }
    }

    /** Kernel scan_tiles. */
    final void scan(JvmKernel.Chunk chunk, ScanKind kind) {
        ByteBuffer in = chunk.buffer(0);
        ByteBuffer out = chunk.buffer(1);
        ByteBuffer carries = chunk.buffer(2);
        for (int tile = 0; tile < chunk.units(); tile++) {
            scan(in, out, tile * TILE, TILE, carries, tile, kind);
        }
    }

    /** Writes the total of the tile that begins with element {@code first} to its place among the totals. */
    abstract void total(ByteBuffer in, int first, ByteBuffer totals, int tile);

    /** Scans {@code count} elements from element {@code first} on, a tile or less, after what one of the carries holds. */
    abstract void scan(
            ByteBuffer in, ByteBuffer out, int first, int count, ByteBuffer carries, int tile, ScanKind kind);

    /**
     * Replaces each of the first {@code tiles} totals by the combination of those before it, after what the carry holds, and writes
     * the combination of all of them behind them.
     *
     * @param carry an element of the scanned type, or null for none
     */
    abstract void carries(ByteBuffer totals, int tiles, @Nullable ByteBuffer carry);

    /** Writes the total of each row, as an element, from its tiles' totals. */
    abstract void rows(ByteBuffer totals, ByteBuffer rows, int count);

    /** Replaces each of so many elements by the combination of those before it. */
    abstract void before(ByteBuffer rows, int count);
}
