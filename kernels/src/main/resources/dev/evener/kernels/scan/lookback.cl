// The scan on one device, which needs to read the input but once (D. Merrill and M. Garland, Single-pass parallel prefix scan
// with decoupled look-back, 2016). Groups take portions in order, by tickets from a counter; a portion's total is told to all
// as soon as it is known, and so is the combination of everything up to its end as soon as that is. Whoever needs what comes
// before its portion looks back until it meets such an end. What is not there after a while is found again from the input
// rather than waited for (decoupled fallback), so that nothing depends on which groups run, or when.
//
// Each portion has an entry of two values, its total and its end. A word of a value is 16 of its bits and a mark that they are
// there: every word tells for itself whether it may be used, so it does not matter in which order words become visible
// to whom, and no fence is needed. All who write a value write the same.
//
// CPU (lookback.cpu.cl): a portion is a row. While a work-item scans one, which lies in its cache, it reads the next and finds its total.
// Other devices (lookback.local.cl): a portion is a tile, and a group looks back at 32 entries at once. That combines out of order,
// so sums of floats are done in three steps instead: totals, carries (one group), tiles (lookback.float.cl). Where there are warps
// (warp.cl, lookback.subgroup.cl), their lanes hand on what they have in registers, a portion is EACH tiles, and one warp looks back.

#if FLOATING
#define TO_BITS(v) as_uint(v)
#define FROM_BITS(b) as_float((uint)(b))
#else
#define TO_BITS(v) (v)
#define FROM_BITS(b) ((value)(b))
#endif

#define WORDS (sizeof(value) / 2)
#define MARK 0x10000u
#define TICKET 16 // words before the first entry, of which the first is the counter

// For tests.
#ifndef SILENT
#define SILENT(portion) 0 // 1: portions that tell nothing, as if they were late
#endif

static inline volatile __global uint *total_of(volatile __global uint *state, uint portion)
{
    return state + TICKET + (size_t)portion * 2 * WORDS;
}

static inline volatile __global uint *end_of(volatile __global uint *state, uint portion)
{
    return total_of(state, portion) + WORDS;
}

// Words are read and written whole, and whoever sees one needs nothing else that was written, so plain accesses do. What
// OpenCL promises is less, and there is no atomic load or store in 1.2: to prove the rest free of races, the words can be
// seen to by atomic operations.
#ifndef ATOMIC_WORDS
#define ATOMIC_WORDS 0
#endif
#if ATOMIC_WORDS
#define READ_WORD(word) atomic_or(word, 0u)
#define WRITE_WORD(word, content) atomic_xchg(word, content)
#else
#define READ_WORD(word) (*(word))
#define WRITE_WORD(word, content) (*(word) = (content))
#endif

static inline void publish(volatile __global uint *words, value v)
{
    ulong bits = (ulong)TO_BITS(v);
    for (uint i = 0; i < WORDS; i++) {
        WRITE_WORD(words + i, MARK | ((uint)(bits >> (16 * i)) & 0xffffu));
    }
}

// Whether the value was there.
static inline int published(volatile __global uint *words, value *v)
{
    ulong bits = 0;
    uint all = MARK;
    for (uint i = 0; i < WORDS; i++) {
        uint word = READ_WORD(words + i);
        all &= word;
        bits |= (ulong)(word & 0xffffu) << (16 * i);
    }
    *v = FROM_BITS(bits);
    return all != 0;
}

// What a portion has told.
#define NOTHING 0
#define TOTAL 1
#define END 2

#if FORM == 1 || !FLOATING

__kernel void
#if FORM != 1
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
#endif
chain_begin(__global const element *in, __global uint *state, uint words, uint tiles)
{
    for (uint i = (uint)get_global_id(0); i < words; i += (uint)get_global_size(0)) {
        state[i] = 0;
    }
}

#endif
