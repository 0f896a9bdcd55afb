package dev.evener.workloads.workload;

import dev.evener.HostBuffer;
import dev.evener.kernels.tuning.Tuning;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a workload is to be prepared for: a number of items to synthesise or files to read. Immutable.
 *
 * @param workload what is to be run
 * @param values what its parameters are set to
 * @param distribution how synthetic data are spread; null for data from files, and where nothing is read
 * @param items how many items are synthesised
 * @param seed what synthetic data come from
 * @param files where data come from that are not synthetic; else empty
 * @param tuning how primitives are tuned
 */
public record Request(
        Workload workload,
        Values values,
        @Nullable Distribution distribution,
        long items,
        long seed,
        List<InputFile> files,
        Tuning tuning) {
    /** Between the seeds of two arrays, so that they have nothing in common. */
    private static final long NEXT_ARRAY = 0x632be59bd9b4e019L;

    public Request {
        distribution = workload.inputs(values).isEmpty() ? null : distribution;
        files = List.copyOf(files);
    }

    /**
     * Synthetic data.
     *
     * @param items 1 to {@link Workload#mostItems}
     * @param seed equal seeds make equal data
     * @throws IllegalArgumentException if that is too much for the workload
     */
    public static Request synthetic(
            Workload workload, Values values, long items, Distribution distribution, long seed) {
        if (items < 1) {
            throw new IllegalArgumentException(workload.name() + " takes 1 " + workload.item() + " at least");
        }
        if (items > workload.mostItems(values)) {
            throw new IllegalArgumentException(workload.name() + " takes at most " + workload.mostItems(values) + " "
                    + workload.item() + "s, not " + items);
        }
        return new Request(workload, values, distribution, items, seed, List.of(), Tuning.defaults());
    }

    /** Synthetic data, uniform, and default parameters. */
    public static Request synthetic(Workload workload, long items, long seed) {
        return synthetic(workload, Values.defaults(workload), items, Distribution.UNIFORM, seed);
    }

    /**
     * Data from files, one for each of {@link Workload#inputs}.
     *
     * @throws IllegalArgumentException if there are not as many
     */
    public static Request ofFiles(Workload workload, Values values, List<InputFile> files) {
        List<Workload.Input> inputs = workload.inputs(values);
        if (files.size() != inputs.size()) {
            throw new IllegalArgumentException(
                    workload.name() + " reads " + arrays(inputs) + ", not " + files.size() + " files");
        }
        return new Request(workload, values, null, 0, 0, files, Tuning.defaults());
    }

    private static String arrays(List<Workload.Input> inputs) {
        List<String> names = inputs.stream().map(Workload.Input::name).toList();
        return switch (names.size()) {
            case 0 -> "nothing";
            case 1 -> "one array (" + names.get(0) + ")";
            default -> names.size() + " arrays (" + String.join(", then ", names) + ")";
        };
    }

    /** The same with primitives tuned. */
    public Request tuned(Tuning how) {
        return new Request(workload, values, distribution, items, seed, files, how);
    }

    /** Whether the data come from files. */
    public boolean fromFiles() {
        return !files.isEmpty();
    }

    /**
     * How many items there are: as many as were asked for, or as the files hold.
     *
     * @throws InputException if a file holds a part of one, two files differ in their number, or there are too many
     */
    @Override
    public long items() {
        if (!fromFiles()) {
            return items;
        }
        long first = items(0);
        for (int i = 1; i < files.size(); i++) {
            if (items(i) != first) {
                throw bad(
                        i,
                        "has " + items(i) + " " + workload.item() + "s, but "
                                + files.get(0).path() + " has " + first);
            }
        }
        if (first > workload.mostItems(values)) {
            throw bad(
                    0,
                    "has " + first + " " + workload.item() + "s; " + workload.name() + " takes at most "
                            + workload.mostItems(values));
        }
        return first;
    }

    /** Items, or where those are not counted in this array elements, of one file. */
    public long items(int input) {
        Workload.Input declared = workload.inputs(values).get(input);
        return files.get(input).items(declared.type(), Math.max(1, declared.perItem()));
    }

    /** What is wrong with one of the files. */
    public InputException bad(int file, String problem) {
        return new InputException(files.get(file).path(), problem);
    }

    /** Fills the buffer for the input of this number. */
    public void fill(int input, HostBuffer buffer) {
        if (fromFiles()) {
            files.get(input).read(buffer.segments());
        } else {
            synthetic(input, buffer.elements()).fill(buffer);
        }
    }

    /** The numbers that the input of this number is made from. */
    public SyntheticData synthetic(int input, long count) {
        if (distribution == null) {
            throw new IllegalStateException("data from files are not synthetic");
        }
        return new SyntheticData(distribution, count, seed + input * NEXT_ARRAY);
    }
}
