/**
 * Faults for the tests of an application, and for experiments: lanes that misbehave as they are told. Begin with {@link
 * dev.evener.testing.Faults}.
 *
 * <p>What an OpenCL program would do silently, and who tells here:
 *
 * <ul>
 *   <li><b>Refused by the builder</b>: a blank job name; a blank kernel name; fractions that add up to more than 1;
 *       a buffer that the units do not divide; a buffer too small for its units; a halo without its view start; one
 *       buffer read and written by a kernel; two buffers over one memory; a write to read-only memory; a write of all by
 *       all units; a reduction that is read; floats that are accumulated; a count of ints; a granule larger than the
 *       job; a group of more dimensions than the range; a guard with the job's length in the chunk's view; a scalar of a
 *       type that kernels are not given; two values of one scalar's name; a variable that outlives a launch; columns in
 *       the chunk's view; local memory of groups whose size is left open.
 *   <li><b>Refused by the compiled kernel</b>: a missing argument; a number for a pointer; a buffer for a number; an
 *       int for a float; an int for a float behind a typedef; a buffer of ints for floats behind one; a buffer of floats
 *       for ints; a vector's pointer over units of one element; a write through const; a struct of another size; a
 *       buffer for local memory; a kernel that the source has not; a group that the kernel does not allow; more local
 *       memory, arguments or work-items of a group than the device has (a `BuildFailedException` that names OpenCL's
 *       limit and both numbers, if no other device takes it). So far as the driver describes its kernels.
 *   <li><b>Refused when it is submitted</b>: another Evener's managed buffer.
 *   <li><b>Found by the checking mode</b>: a write behind the slice; a read behind the slice; a halo that is too
 *       small; elements that are never written; an update declared as a write; a change of an input; a chunk's index
 *       taken for the job's; a result that depends on the group's size; a temporary read before it is written; a count
 *       that a unit leaves out; a partial result that a unit leaves out; a job that writes nothing; what an
 *       `overwrite()` scope leaves. Races too, if they show.
 *   <li><b>Warned of by the checking mode</b>: a halo far larger than what is read; a buffer of floats filled
 *       through `ints()`. The log says so once, and the job goes on, as another input may need the halo and bits may be
 *       meant.
 *   <li><b>Found by nobody</b>: `updates` where `writes` would do; another Evener's host buffer; a read outside that
 *       changes nothing. The first is right and only moves more, the second works; what changes no result cannot be
 *       seen.
 * </ul>
 */
@NullMarked
package dev.evener.testing;

import org.jspecify.annotations.NullMarked;
