// What stands in front of a text that may ask of its launch more than the index of its work-item, so that it hears of the job,
// or, in the chunk's view, of the chunk, and not of how that was launched (Programs.java). Its macros have no parameters, so
// that they stand for a name in whatever way the text makes it: by pasting, or behind another macro. Launches have three
// dimensions then. The one that is cut has an offset that counts; the others carry, in theirs, how many work-items there are
// along it, and the number of the first group.
#if EVENER_ALONG == 0
#define EVENER_ALL get_global_offset(1)
#else
#define EVENER_ALL get_global_offset(0)
#endif
#if EVENER_ALONG == 2
#define EVENER_GROUP get_global_offset(1)
#else
#define EVENER_GROUP get_global_offset(2)
#endif
size_t evener_global_offset(uint d);
size_t evener_global_id(uint d);
size_t evener_global_size(uint d);
size_t evener_group_id(uint d);
size_t evener_num_groups(uint d);
size_t evener_global_linear_id(void);
uint evener_work_dim(void);
size_t evener_global_offset(uint d) {
    return (size_t) (d == 0 ? EVENER_FROM0 : d == 1 ? EVENER_FROM1 : EVENER_FROM2);
}
size_t evener_global_id(uint d) {
    return evener_global_offset(d)
        + (d == EVENER_ALONG ? get_global_id(d) : get_global_id(d) - get_global_offset(d));
}
size_t evener_global_size(uint d) { return d == EVENER_ALONG ? EVENER_ALL : get_global_size(d); }
size_t evener_group_id(uint d) { return get_group_id(d) + (d == EVENER_ALONG ? EVENER_GROUP : 0); }
size_t evener_num_groups(uint d) {
    return d == EVENER_ALONG ? (EVENER_ALL + get_local_size(d) - 1) / get_local_size(d) : get_num_groups(d);
}
size_t evener_global_linear_id(void) {
    return (evener_global_id(2) * evener_global_size(1) + evener_global_id(1)) * evener_global_size(0)
        + evener_global_id(0);
}
uint evener_work_dim(void) { return EVENER_DIMENSIONS; }
#define get_global_id evener_global_id
#define get_global_size evener_global_size
#define get_group_id evener_group_id
#define get_num_groups evener_num_groups
#define get_global_offset evener_global_offset
#define get_work_dim evener_work_dim
#define get_global_linear_id evener_global_linear_id
