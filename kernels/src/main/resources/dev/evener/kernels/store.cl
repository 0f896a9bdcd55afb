// Stores past the caches, where the compiler can: that spares reading what is overwritten. To aligned places only.

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(value, to) __builtin_nontemporal_store(value, to)
#endif
#endif
#ifndef STREAM
#define STREAM(value, to) (*(to) = (value))
#endif
