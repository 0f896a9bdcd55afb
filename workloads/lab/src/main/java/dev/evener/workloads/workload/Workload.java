package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

/**
 * A data-parallel computation that can be run at any size, on synthetic data or given ones: it describes the job, and checks
 * what came out. Immutable once constructed; any thread.
 *
 * <p>Sizes are counted in items, which is what a user thinks of (a pixel, a number). A job is cut at units, which may hold
 * many items (a row of pixels).
 *
 * <p><b>To add one</b>, write a class in the package {@code suite} and list it in {@code Workloads}. Its constructor says what
 * it is called, what can be set about it and what it reads; {@link #prepare(PreparedWorkload)} makes the job and says what its result
 * should be.
 */
public abstract class Workload {
    /** Of workloads whose jobs only read their inputs. */
    protected static final Parameter<Boolean> RESIDENT =
            Parameter.flag("resident", "whether inputs stay on devices with memory of their own from job to job");

    /** What one buffer can hold, in 4-byte elements: 2 GiB less the pages that alignment takes. */
    protected static final long MOST_WORDS = (Integer.MAX_VALUE - 8192L) / 4;

    /** Bytes of a buffer that jobs only slice: what a machine may have as memory, rather than what an index can count. */
    private static final long MOST_SLICED = 1L << 40;

    private final String name;
    private final String description;
    private String item = "item";
    private String unit = "item";
    private String output = "";
    private List<Long> defaultSizes = List.of();
    private List<Parameter<?>> parameters = List.of();
    private final List<Function<Values, Input>> inputs = new ArrayList<>();
    private long mostItems;
    private String primitive = "";
    private LongUnaryOperator triedItems = items -> items;
    private Distribution[] tried = {};

    /**
     * What a workload is, in words.
     *
     * @param name what it is called on the command line: lower-case letters, digits and hyphens
     * @param description one line for people, without a full stop
     * @param item what is counted in sizes, such as {@code pixel}
     * @param unit what a job may be cut between, such as {@code image row}
     * @param output the values that it computes, on one line, without a full stop
     * @param defaultSizes sizes worth comparing, in items, ascending
     */
    public record About(
            String name, String description, String item, String unit, String output, List<Long> defaultSizes) {}

    /**
     * An array that a workload reads.
     *
     * @param name what its description calls it
     * @param type of its elements
     * @param perItem elements for each item; 0 where the workload finds out by itself how its sizes go together
     * @param description what it holds, in a few words
     */
    public record Input(String name, ElementType type, int perItem, String description) {}

    /** As {@link About} has it, as are the words below. */
    protected Workload(String name, String description) {
        this.name = name;
        this.description = description;
    }

    // What constructors say besides, the arrays in their order.

    /** What sizes count, and what a job is cut between. */
    protected final void items(String counted, String cutAt, Long... sizes) {
        item = counted;
        unit = cutAt;
        defaultSizes = List.of(sizes);
    }

    /** What can be set about it. */
    protected final void parameters(Parameter<?>... all) {
        parameters = List.of(all);
    }

    /** What it computes. */
    protected final void writes(String values) {
        output = values;
    }

    /** It reads an array with an element for each item. */
    protected final void reads(String name, ElementType type, String description) {
        reads(name, type, 1, description);
    }

    /** It reads an array with so many elements for each item. */
    protected final void reads(String name, ElementType type, int perItem, String description) {
        inputs.add(values -> new Input(name, type, perItem, description));
    }

    /** It reads an array of elements whose type can be set. */
    protected final void reads(String name, Parameter<ElementType> type, String description) {
        inputs.add(values -> new Input(name, values.get(type), 1, description));
    }

    /** The most items a job can have, unless that is what one buffer holds of the first input. */
    protected final void atMost(long items) {
        mostItems = items;
    }

    /**
     * Its jobs show how fast a primitive is, for {@code evener tune}.
     *
     * @param primitive as {@code Parameter.primitive} has it
     * @param items of a job, of the number that keeps the device busy with something simple
     * @param data what suits one of these only is of no use
     */
    protected final void tunes(String primitive, LongUnaryOperator items, Distribution... data) {
        this.primitive = primitive;
        this.triedItems = items;
        this.tried = data;
    }

    /** What a buffer in one piece can hold of a type. */
    protected static long most(ElementType type) {
        return MOST_WORDS * Integer.BYTES / type.bytes();
    }

    /** What a buffer can hold of a type if jobs do nothing but slice it. */
    protected static long mostSliced(ElementType type) {
        return MOST_SLICED / type.bytes();
    }

    /** What it is. */
    public final About about() {
        return new About(name, description, item, unit, output, defaultSizes);
    }

    /** What can be set about it. */
    public final List<Parameter<?>> parameters() {
        return parameters;
    }

    /** The arrays it reads, in the order in which files of them are given; none if it makes something out of nothing. */
    public List<Input> inputs(Values values) {
        return inputs.stream().map(input -> input.apply(values)).toList();
    }

    /** The most items that one job of it can have. */
    public long mostItems(Values values) {
        return mostItems > 0 ? mostItems : most(inputs(values).get(0).type());
    }

    /**
     * Finds what is wrong with files before any device is opened.
     *
     * @throws InputException if a file has the wrong size
     * @throws IllegalArgumentException if sizes and parameters do not go together
     */
    public void check(Request request) {
        if (parameters.contains(ImageShape.WIDTH)) {
            ImageShape.of(request);
        } else {
            request.items();
        }
    }

    /**
     * Data and job.
     *
     * @param evener whose devices will run it; it must stay open until the result is closed
     * @param request made for this workload
     * @throws EvenerException if there is no memory for it
     * @throws InputException if a file cannot be used
     * @throws IllegalArgumentException if sizes and parameters do not go together
     */
    public final PreparedWorkload prepare(Evener evener, Request request) {
        check(request);
        PreparedWorkload prepared = new PreparedWorkload(evener, request);
        try {
            prepare(prepared);
            return prepared;
        } catch (RuntimeException | Error e) {
            prepared.close();
            throw e;
        }
    }

    /** Allocates the buffers, and says what the job is, what it costs and what its result should be. */
    public abstract void prepare(PreparedWorkload setup);

    /** What went wrong with its job, with where that was declared if it comes from a file. */
    public EvenerException located(EvenerException failure) {
        return failure;
    }

    /** What it is called. */
    public final String name() {
        return name;
    }

    /** The jobs that values of a primitive's parameters are tried on; none if it is another primitive. */
    public final Stream<Request> trials(String tuned, long items) {
        return tuned.equals(primitive)
                ? Stream.of(tried)
                        .map(data ->
                                Request.synthetic(this, Values.defaults(this), triedItems.applyAsLong(items), data, 1))
                : Stream.empty();
    }

    /** What is counted in sizes. */
    public final String item() {
        return item;
    }

    /** So much of it, for people, such as {@code saxpy, 4Mi floats}. */
    public final String amount(long items) {
        return name() + ", " + Sizes.text(items) + " " + item() + "s";
    }
}
