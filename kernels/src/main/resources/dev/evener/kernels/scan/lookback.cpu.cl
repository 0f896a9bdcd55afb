// The scan with look-back on CPUs (lookback.cl): a work-item for each row of tiles.

#if FORM == 1

#define ROW_TILES (ROW / TILE)
#define PATIENCE 4096

static inline value row_total(__global const element *in, uint row, uint tiles, value *each)
{
    uint first = row * ROW_TILES, count = min(tiles - first, (uint)ROW_TILES);
    value total = IDENTITY;
    for (uint i = 0; i < count; i++) {
        each[i] = tile_total(in + (size_t)(first + i) * TILE);
        total = COMBINE(total, each[i]);
    }
    return total;
}

// What comes before a row: back to a row whose end is known, and forward again in the order of the rows.
static inline value rows_before(__global const element *in, volatile __global uint *state, uint row, uint tiles)
{
    value sum = IDENTITY;
    for (uint i = 0; row > 0 && i < PATIENCE && !SILENT(row - 1); i++) {
        if (published(end_of(state, row - 1), &sum)) {
            return sum;
        }
    }
    uint known = row;
    while (known > 0 && !published(end_of(state, known - 1), &sum)) {
        known--;
    }
    if (known == 0) {
        sum = IDENTITY;
    }
    for (uint i = known; i < row; i++) {
        value v;
        if (published(end_of(state, i), &v)) {
            sum = v;
            continue;
        }
        if (!published(total_of(state, i), &v)) {
            value each[ROW_TILES];
            v = row_total(in, i, tiles, each);
            publish(total_of(state, i), v);
        }
        sum = COMBINE(sum, v);
    }
    return sum;
}

__kernel void chain_carries(__global value *all, __global uint *state, uint tiles)
{
}

__kernel void chain_scan(
        __global const element *in, __global element *out, __global value *all, volatile __global uint *state, uint tiles)
{
    uint rows = (tiles + ROW_TILES - 1) / ROW_TILES;
    value each[ROW_TILES]; // totals of the tiles of this row; of those behind the present one, of the next row
    // By way of local memory, as llvmpipe does not leave a loop before its idle lanes would, and they get no tickets.
    volatile __local uint ticket;
    ticket = atomic_inc(state);
    uint row = ticket;
    value total = IDENTITY;
    if (row < rows) {
        total = row_total(in, row, tiles, each);
        if (!SILENT(row)) {
            publish(total_of(state, row), total);
        }
    }
    while (row < rows) {
        value carry = rows_before(in, state, row, tiles);
        value end = COMBINE(carry, total);
        if (!SILENT(row)) {
            publish(end_of(state, row), end);
        }
        if (row == rows - 1) {
            all[0] = end;
        }
        ticket = atomic_inc(state);
        uint next = ticket;
        uint first = row * ROW_TILES, count = min(tiles - first, (uint)ROW_TILES);
        uint first_next = min(next, rows - 1) * ROW_TILES;
        uint count_next = next < rows ? min(tiles - first_next, (uint)ROW_TILES) : 0;
        value sum = IDENTITY;
        total = IDENTITY;
        for (uint i = 0; i < count; i++) {
            // Where there is no other tile, the same one, whose total is not asked for.
            uint tile = first + i, other = i < count_next ? first_next + i : tile;
            value other_total = scan_tile(
                    in + (size_t)tile * TILE,
                    out + (size_t)tile * TILE,
                    COMBINE(carry, sum),
                    1,
                    in + (size_t)other * TILE);
            sum = COMBINE(sum, each[i]);
            each[i] = other_total;
            if (i < count_next) {
                total = COMBINE(total, other_total);
            }
        }
        if (next < rows && !SILENT(next)) {
            publish(total_of(state, next), total);
        }
        row = next;
    }
}

#endif
