// What all kernels of the radix sort share: keys as unsigned integers, digits, and the plan of the passes.
//
// A key is sorted by its bits, mapped so that they order as unsigned integers do what the keys order as: a signed integer
// with its sign flipped; a float with its sign flipped if it is positive and all bits flipped if it is negative. That puts
// -0 before +0, NaNs without a sign bit last and those with one first; the latter are moved behind all others by a
// subtraction that wraps around. Every mapping is one to one, so that keys come out with the bits they went in with.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory, 3: and warps exchange values
#endif
#ifndef WIDE
#define WIDE 0 // 1: keys of 64 bits, 0: of 32
#endif
#ifndef SIGNED
#define SIGNED 0 // 1: keys are signed integers
#endif
#ifndef FLOATING
#define FLOATING 0 // 1: keys are floats or doubles
#endif
#ifndef PAIRS
#define PAIRS 0 // 1: a value of 32 bits goes with each key
#endif
#ifndef SLICES
#define SLICES 64 // groups that a pass is launched with
#endif

#if WIDE
#define KEY ulong
#define SIGNED_KEY long
#define KEY_BITS 64
#define SIGN 0x8000000000000000UL
#define LARGEST_KEY 0xFFFFFFFFFFFFFFFFUL
#define SIGNED_NANS 0x000FFFFFFFFFFFFFUL // doubles from 0xFFF0000000000001 on
#else
#define KEY uint
#define SIGNED_KEY int
#define KEY_BITS 32
#define SIGN 0x80000000U
#define LARGEST_KEY 0xFFFFFFFFU
#define SIGNED_NANS 0x007FFFFFU // floats from 0xFF800001 on
#endif

// Bits of a key that one pass sorts by.
#define DIGIT_BITS 8
#define RADIX (1 << DIGIT_BITS)

// Bits of a key by which a chunk knows which keys can come to lie in it.
#define PREFIXES 65536

// What the passes over one chunk know of each other.
#define PLAN_KEYS 0  // keys in the chunk's window
#define PLAN_SKIP 1  // keys in it that belong in front of the chunk
#define PLAN_PASS 2  // from here on, for each pass: where it reads and writes, or 0 if all keys have the same digit
#define PLAN_INPUT 10 // keys that the first pass chooses from; behind those of at most eight passes
#define FROM_A 1
#define FROM_B 2
#define TO_A 4
#define TO_B 8
#define TO_RESULT 16

inline KEY ordered(KEY bits)
{
#if FLOATING
    return (bits ^ ((KEY)((SIGNED_KEY)bits >> (KEY_BITS - 1)) | SIGN)) - SIGNED_NANS;
#elif SIGNED
    return bits ^ SIGN;
#else
    return bits;
#endif
}

inline KEY original(KEY key)
{
#if FLOATING
    KEY bits = key + SIGNED_NANS;
    return bits ^ ((KEY)((SIGNED_KEY)~bits >> (KEY_BITS - 1)) | SIGN);
#elif SIGNED
    return key ^ SIGN;
#else
    return key;
#endif
}

inline uint digit_of(KEY key, uint shift)
{
    return (uint)(key >> shift) & (RADIX - 1);
}

// The keys that can come to lie at some run of positions: those from low to low + span.
typedef struct {
    KEY low;
    KEY span;
    uint skip; // how many of them belong in front of the run
} window;

// The prefix of the key at a position, when sorted: the last one that starts at or before it and is not empty.
inline uint prefix_at(__global const uint *starts, uint position)
{
    uint low = 0;
    uint high = PREFIXES; // starts[low] <= position < starts[high]
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (starts[middle] <= position) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Splitters: where each prefix starts, then their end, then the shift that makes a prefix, then the least key in two words.
inline window window_of(__global const uint *splitters, uint split, uint first, uint units)
{
    window all = {0, LARGEST_KEY, 0};
    if (split == 0) {
        return all;
    }
    uint lowest = prefix_at(splitters, first);
    uint highest = prefix_at(splitters, first + units - 1);
    uint shift = splitters[PREFIXES + 1];
    KEY base = splitters[PREFIXES + 2];
#if WIDE
    base |= (ulong)splitters[PREFIXES + 3] << 32;
#endif
    window some;
    some.low = base + ((KEY)lowest << shift);
    KEY widest = LARGEST_KEY - some.low;
    KEY last = ((KEY)(highest - lowest) << shift) + (((KEY)1 << shift) - 1);
    some.span = min(last, widest);
    some.skip = first - splitters[lowest];
    return some;
}
