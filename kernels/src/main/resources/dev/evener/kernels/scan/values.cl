// What the scan kernels share: element types, the three operations, and the prefixes of a run in registers.
//
// Least and greatest of floats are found on integer keys that are ordered as Math.min and Math.max order floats: -0
// below +0, and NaN beyond everything else, at the end where it wins. VALUE is then int. Integers have no rounding, and
// every NaN becomes the one with the bits 0x7fc00000, so the result has the same bits everywhere. Sums of floats are
// made the same everywhere by their fixed order (scan.cl); of them, too, every NaN becomes that one.
//
// A run is 16 consecutive elements. Its prefixes come about in four steps, each of which adds the last prefix of a half
// that is done to all of the other half (J. Sklansky, Conditional-sum addition logic, 1960). The sum of a whole run is
// that of a balanced tree.

#pragma OPENCL FP_CONTRACT OFF

#define SUM 0
#define MIN 1
#define MAX 2

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory, 3: and warps exchange values
#endif
#ifndef OPERATION
#define OPERATION SUM // or MIN, MAX
#endif
#ifndef ELEMENT
#define ELEMENT int // type of an element: int, uint, long or float
#endif
#ifndef VALUE
#define VALUE int // type that is combined
#endif
#ifndef IDENTITY
#define IDENTITY 0 // of the operation
#endif
#ifndef ACROSS
#define ACROSS 4 // elements in 16 bytes
#endif
#ifndef FLOATING
#define FLOATING 0 // 1: sums of floats
#endif
#ifndef KEYS
#define KEYS 0 // 1: least or greatest of floats
#endif
#ifndef EXCLUSIVE
#define EXCLUSIVE 0 // 1: an element's own value is left out of its prefix
#endif

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

#define RUN 16
#define BLOCK 256
#define TILE 4096
#define ROW 65536

typedef ELEMENT element;
typedef VALUE value;
typedef JOIN(ELEMENT, 16) elements;
typedef JOIN(VALUE, 16) values;
typedef JOIN(ELEMENT, 4) element4;
typedef JOIN(VALUE, 4) value4;

#if OPERATION == SUM
#define COMBINE(a, b) ((a) + (b))
#elif OPERATION == MIN
#define COMBINE(a, b) min(a, b)
#else
#define COMBINE(a, b) max(a, b)
#endif

#define NAN_BITS 0x7fc00000
#define IS_NAN(bits) (((bits) & 0x7fffffff) > 0x7f800000)

#if KEYS
// Floats as integers of the same order. NaN's key lies beyond that of the infinity that would win otherwise.
#if OPERATION == MIN
#define NAN_KEY (NAN_BITS ^ (int)0xffffffff)
#else
#define NAN_KEY NAN_BITS
#endif
#define FLIP(bits) ((bits) ^ (((bits) >> 31) & 0x7fffffff))
static inline int decode(int key) { return key == NAN_KEY ? NAN_BITS : FLIP(key); }
static inline int encode(int bits) { return IS_NAN(bits) ? NAN_KEY : FLIP(bits); }
static inline int16 decode16(int16 key) { return key == NAN_KEY ? (int16)(NAN_BITS) : FLIP(key); }
static inline int16 encode16(int16 bits) { return IS_NAN(bits) ? (int16)(NAN_KEY) : FLIP(bits); }
#define TO_VALUE(x) encode(as_int(x))
#define TO_VALUES(x) encode16(as_int16(x))
#define TO_ELEMENT(v) as_float(decode(v))
#define TO_ELEMENTS(v) as_float16(decode16(v))
#elif FLOATING
static inline float decode(float v) { return IS_NAN(as_int(v)) ? as_float(NAN_BITS) : v; }
static inline float16 decode16(float16 v) { return IS_NAN(as_int16(v)) ? as_float16((int16)(NAN_BITS)) : v; }
#define TO_VALUE(x) (x)
#define TO_VALUES(x) (x)
#define TO_ELEMENT(v) decode(v)
#define TO_ELEMENTS(v) decode16(v)
#else
#define TO_VALUE(x) (x)
#define TO_VALUES(x) (x)
#define TO_ELEMENT(v) (v)
#define TO_ELEMENTS(v) (v)
#endif

// Inclusive prefixes of a run. Combining with the identity changes nothing but the sign of a zero, and that is lost
// in any case, since a prefix starts from +0.
static inline values prefixes(values v)
{
    const value i = IDENTITY;
    v = COMBINE(v, (values)(i, v.s0, i, v.s2, i, v.s4, i, v.s6, i, v.s8, i, v.sa, i, v.sc, i, v.se));
    v = COMBINE(v, (values)(i, i, v.s1, v.s1, i, i, v.s5, v.s5, i, i, v.s9, v.s9, i, i, v.sd, v.sd));
    v = COMBINE(v, (values)(i, i, i, i, v.s3, v.s3, v.s3, v.s3, i, i, i, i, v.sb, v.sb, v.sb, v.sb));
    v = COMBINE(v, (values)(i, i, i, i, i, i, i, i, v.s7, v.s7, v.s7, v.s7, v.s7, v.s7, v.s7, v.s7));
    return v;
}

// What is stored of a run: its prefixes, or, exclusive, those of the elements before, after what comes before the run.
static inline elements results(value before, values own, values v)
{
#if EXCLUSIVE
#if OPERATION == SUM && !FLOATING
    v = v - own; // cheaper than moving them by one lane
#else
    v = (values)((value)(IDENTITY), v.s0123, v.s456, v.s789a, v.sbcde);
#endif
#endif
    return TO_ELEMENTS(COMBINE((values)(before), v));
}

// Runs lie 17 apart in local memory, so that the work-items of a group do not meet in one bank.
#define PLACE(i) ((i) + ((i) >> 4))
