package dev.evener.workloads.workload;

import dev.evener.HostBuffer;
import dev.evener.kernels.tuning.Tuning;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a workload is to be prepared for: what its parameters are set to, and a number of items to make up or files to read.
 * Immutable.
 */
public final class Request {
    /** Between the seeds of two arrays, so that they have nothing in common. */
    private static final long NEXT_ARRAY = 0x632be59bd9b4e019L;

    private final Workload workload;
    private final Values values;
    private final @Nullable Distribution distribution;
    private final long items;
    private final long seed;
    private final List<InputFile> files;
    private final Tuning tuning;

    private Request(
            Workload workload,
            Values values,
            @Nullable Distribution distribution,
            long items,
            long seed,
            List<InputFile> files,
            Tuning tuning) {
        this.workload = workload;
        this.values = values;
        this.distribution = distribution;
        this.items = items;
        this.seed = seed;
        this.files = List.copyOf(files);
        this.tuning = tuning;
    }

    /**
     * Made-up data.
     *
     * @param items 1 to {@link Workload#mostItems}
     * @param seed equal seeds make equal data
     * @throws IllegalArgumentException if that is too much for the workload
     */
    public static Request madeUp(Workload workload, Values values, long items, Distribution distribution, long seed) {
        if (items < 1) {
            throw new IllegalArgumentException(workload.name() + " takes 1 " + workload.item() + " at least");
        }
        checkMost(workload, values, items);
        return new Request(workload, values, distribution, items, seed, List.of(), Tuning.defaults());
    }

    /** Made-up data, uniform, and default parameters. */
    public static Request madeUp(Workload workload, long items, long seed) {
        return madeUp(workload, Values.defaults(workload), items, Distribution.UNIFORM, seed);
    }

    /**
     * Data from files, one for each of {@link Workload#inputs}.
     *
     * @throws IllegalArgumentException if there are not as many
     */
    public static Request ofFiles(Workload workload, Values values, List<InputFile> files) {
        List<Input> inputs = workload.inputs(values);
        if (files.size() != inputs.size()) {
            throw new IllegalArgumentException(
                    workload.name() + " reads " + arrays(inputs) + ", not " + files.size() + " files");
        }
        return new Request(workload, values, null, 0, 0, files, Tuning.defaults());
    }

    private static String arrays(List<Input> inputs) {
        List<String> names = inputs.stream().map(Input::name).toList();
        return switch (names.size()) {
            case 0 -> "nothing";
            case 1 -> "one array (" + names.get(0) + ")";
            default -> names.size() + " arrays (" + String.join(", then ", names) + ")";
        };
    }

    private static void checkMost(Workload workload, Values values, long items) {
        if (items > workload.mostItems(values)) {
            throw new IllegalArgumentException(workload.name() + " takes at most " + workload.mostItems(values) + " "
                    + workload.item() + "s, not " + items);
        }
    }

    /** The same with primitives tuned. */
    public Request tuned(Tuning how) {
        return new Request(workload, values, distribution, items, seed, files, how);
    }

    /** How primitives are tuned. */
    public Tuning tuning() {
        return tuning;
    }

    /** What is to be run. */
    public Workload workload() {
        return workload;
    }

    /** What its parameters are set to. */
    public Values values() {
        return values;
    }

    /** How made-up data are spread; null for data from files. */
    public @Nullable Distribution distribution() {
        return distribution;
    }

    /** What made-up data come from. */
    public long seed() {
        return seed;
    }

    /** Where data come from that are not made up; else empty. */
    public List<InputFile> files() {
        return files;
    }

    /** The value of one of the workload's parameters. */
    <T> T get(Parameter<T> parameter) {
        return values.get(parameter);
    }

    /** Whether the data come from files. */
    boolean fromFiles() {
        return !files.isEmpty();
    }

    /**
     * How many items there are: as many as were asked for, or as the files hold.
     *
     * @throws InputException if a file holds a part of one, two files differ in their number, or there are too many
     */
    public long items() {
        if (!fromFiles()) {
            return items;
        }
        long first = items(0);
        for (int i = 1; i < files.size(); i++) {
            long other = items(i);
            if (other != first) {
                throw new InputException(
                        files.get(i).path(),
                        "has " + other + " " + workload.item() + "s, but "
                                + files.get(0).path() + " has " + first);
            }
        }
        if (first > workload.mostItems(values)) {
            throw new InputException(
                    files.get(0).path(),
                    "has " + first + " " + workload.item() + "s; " + workload.name() + " takes at most "
                            + workload.mostItems(values));
        }
        return first;
    }

    /** Items, or where those are not counted in this array elements, of one file. */
    long items(int input) {
        Input declared = workload.inputs(values).get(input);
        return files.get(input).items(declared.type(), Math.max(1, declared.perItem()));
    }

    /** Fills the buffer for the input of this number. */
    void fill(int input, HostBuffer buffer) {
        if (fromFiles()) {
            files.get(input).read(buffer.segments());
        } else {
            draws(input, buffer.elements()).fill(buffer);
        }
    }

    /** The numbers that the input of this number is made from. */
    Draws draws(int input, long count) {
        if (distribution == null) {
            throw new IllegalStateException("data from files are not made up");
        }
        return new Draws(distribution, count, seed + input * NEXT_ARRAY);
    }
}
