package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One buffer as one job declares it, drawn at random, and what the words of {@link Access} make of that, found unit by unit: an oracle
 * that has nothing in common with what {@link UnitParts} computes.
 *
 * @param elements of the buffer
 * @param from the first element of the range that is the argument
 * @param count elements of the range
 * @param ranged whether it is a range, not the buffer itself
 * @param written whether it is written
 * @param read whether it is read
 */
public record RandomDeclaration(
        long units,
        long granule,
        boolean undivided,
        boolean jobView,
        long elements,
        long from,
        long count,
        boolean ranged,
        boolean written,
        boolean read,
        Access access) {

    /** One with few units, of which each has few elements. */
    public static RandomDeclaration small(Random random) {
        return of(random, 12, 200);
    }

    /** One whose numbers are of any size, but for the buffer's. */
    static RandomDeclaration ofAnySize(Random random) {
        return of(random, Long.MAX_VALUE, 200);
    }

    private static RandomDeclaration of(Random random, long most, int mostElements) {
        long elements = 1L + random.nextInt(mostElements);
        boolean ranged = random.nextInt(3) == 0;
        long from = ranged ? random.nextInt((int) elements) : 0;
        long count = ranged ? 1L + random.nextInt((int) (elements - from)) : elements;
        boolean written = random.nextBoolean();
        Access access = access(random, most, count, !written);
        long units = number(random, most, count);
        return new RandomDeclaration(
                units,
                random.nextBoolean() ? 1 : Math.max(1, units),
                random.nextInt(4) == 0,
                random.nextInt(3) > 0,
                elements,
                from,
                count,
                ranged,
                written,
                !written || random.nextBoolean(),
                access);
    }

    private static Access access(Random random, long most, long count, boolean halo) {
        Access.Slice slice =
                random.nextInt(4) == 0 ? Access.slice() : Access.slice(1 + number(random, most - 1, count));
        if (random.nextInt(3) == 0) {
            return halo && random.nextBoolean()
                    ? slice.halo(number(random, most, count), number(random, most, count))
                    : slice;
        }
        Access.Parts parts = random.nextBoolean()
                ? Access.columns(1 + number(random, most - 1, count)).perUnit(1 + number(random, most - 1, count))
                : slice.planes(1 + number(random, Math.min(most, 9), count));
        parts = random.nextBoolean() ? parts.from(number(random, most, count)) : parts;
        parts = random.nextInt(3) == 0
                ? parts.alsoReads(number(random, most, count), 1 + number(random, most - 1, count))
                : parts;
        if (parts.repeats() > 0 && parts.first() == 0 && random.nextInt(3) > 0) {
            return parts.blocksOf(1 + number(random, Math.min(most - 1, 11), count));
        }
        return halo && random.nextBoolean()
                ? parts.halo(number(random, most, count), number(random, most, count))
                : parts;
    }

    /** From 0 to the most, often about where the buffer ends. */
    private static long number(Random random, long most, long count) {
        return switch (random.nextInt(most > 1000 ? 6 : 3)) {
            case 0 -> Math.min(most, random.nextInt(4));
            case 1 -> Math.min(most, Math.max(0, count / (1 + random.nextInt(12)) + random.nextInt(3) - 1));
            case 2 -> Math.floorMod(random.nextLong(), Math.min(most, 40) + 1);
            case 3 -> Math.min(most, 1L << random.nextInt(63));
            case 4 -> most - random.nextInt(3);
            default -> Math.min(most, random.nextLong() >>> 1 >>> random.nextInt(62));
        };
    }

    /** Whether kernels see the job, however that was said. */
    boolean seesJob() {
        return jobView || undivided;
    }

    /** The job of a kernel with this argument alone. */
    public Job build(DataBuffer buffer, String source) {
        return build(buffer, KernelSource.of("random", source), job -> job);
    }

    /** The job of a kernel with this argument, where its chunk begins in a view of it if it has one, and more. */
    Job build(DataBuffer buffer, KernelSource source, UnaryOperator<JobBuilder> more) {
        DataBuffer argument = ranged ? buffer.range(from, count) : buffer;
        JobBuilder job = Job.named("random").source(source).units(units).granule(Math.max(1, Math.min(granule, units)));
        job = undivided ? job.undivided() : jobView ? job.jobView() : job.chunkView();
        job = job.kernel("k");
        job = !written
                ? job.reads(argument, access)
                : read ? job.updates(argument, access) : job.writes(argument, access);
        return more.apply(access instanceof Access.Halo ? job.viewStart(argument) : job)
                .build();
    }

    // ---- the oracle ----

    /** Elements of an array's start, of the range. */
    long stride() {
        return access instanceof Access.Parts p ? p.stride() > 0 ? p.stride() : count / p.repeats() : count;
    }

    /** How many arrays there are. */
    long arrays() {
        return access instanceof Access.Parts p
                ? p.repeats() > 0 ? p.repeats() : count / p.stride() + Long.signum(count % p.stride())
                : 1;
    }

    long first() {
        return access instanceof Access.Parts p ? p.first() : 0;
    }

    /** Units of a block of arrays, 0 if there are none. */
    long block() {
        return access instanceof Access.Parts p ? p.blockUnits() : 0;
    }

    /** Elements of a unit in each array, 0 if they cannot be told. */
    long perUnit() {
        long asked = access instanceof Access.Slice s
                ? s.elementsPerUnit()
                : access instanceof Access.Halo h ? h.elementsPerUnit() : ((Access.Parts) access).elementsPerUnit();
        long all = stride() - first();
        return asked > 0 ? asked : units > 0 && all > 0 && all % units == 0 ? all / units : 0;
    }

    /** What is outside of the range, in words; null if every unit's elements are inside, as far as has to be. */
    @Nullable
    String outside() {
        if (access instanceof Access.Parts p) {
            if (!seesJob()) {
                return "parts in the chunk's view";
            } else if (p.repeats() > 0 && block() == 0 && count % p.repeats() != 0) {
                return "unequal planes";
            } else if (p.alsoCount() > count || p.alsoFrom() > count - p.alsoCount()) {
                return "what all read";
            }
        }
        if (block() > 0) {
            boolean fits = units <= count && perUnit() <= count && units * perUnit() * arrays() <= count;
            fits &= ((Access.Parts) access).elementsPerUnit() > 0 || units * perUnit() * arrays() == count;
            return units == 0 || (fits && perUnit() > 0 && units % block() == 0) ? null : "no whole blocks";
        }
        if (perUnit() == 0) {
            return units == 0 && !(access instanceof Access.Parts) ? null : "units do not divide it";
        }
        boolean mayLack = access instanceof Access.Parts p && p.repeats() == 0 && first() == 0 && arrays() > 1;
        for (long array = 0; array < arrays() - (mayLack ? 1 : 0); array++) {
            long begin = array * stride();
            long end = begin + Math.min(count - begin, stride());
            for (long unit = 0; unit < units; unit++) {
                // The first comparisons keep the numbers small: no unit before this one was outside.
                long room = end - begin - first() - unit * Math.min(perUnit(), count);
                boolean last = unit == units - 1;
                boolean mayEnd = last && (seesJob() || (count < elements && read));
                if (first() >= end - begin || room <= 0 || (room < perUnit() && !mayEnd)) {
                    return "unit " + unit + " in array " + array;
                }
            }
        }
        return null;
    }

    /** Whether an element of the buffer is one that a unit has for itself. */
    boolean has(long unit, long element) {
        long within = element - from;
        if (within < 0 || within >= count || within / stride() >= arrays()) {
            return false;
        }
        if (block() > 0) {
            long plane = block() * perUnit();
            long inBlock = within % (plane * arrays());
            return within / (plane * arrays()) * block() + inBlock % plane / perUnit() == unit;
        }
        long inArray = within % stride() - first();
        return inArray >= 0 && inArray / perUnit() == unit;
    }
}
