package dev.evener.kernels.sort;

/**
 * Which arguments of the passes the Java form needs, and what else.
 *
 * @param keys number of the argument that is all keys
 * @param values that is all values; meaningless without pairs
 * @param splitters that is the splitters
 * @param result that is the chunk's part of the sorted keys
 * @param resultValues that is the chunk's part of their values; meaningless without pairs
 * @param count number of keys
 * @param pairs whether keys carry values
 */
record PassBuffers(int keys, int values, int splitters, int result, int resultValues, int count, boolean pairs) {

    /** As {@link RadixSort} gives them: the survey has eight arguments, the plan seven and the scan three. */
    static PassBuffers of(int count, boolean pairs) {
        return pairs ? new PassBuffers(0, 19, 1, 25, 26, count, true) : new PassBuffers(0, -1, 1, 23, -1, count, false);
    }
}
