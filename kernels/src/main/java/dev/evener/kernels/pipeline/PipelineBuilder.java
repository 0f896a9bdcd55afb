package dev.evener.kernels.pipeline;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the stages of a {@link Pipeline}. Not thread-safe.
 *
 * @param <S> the application's class of slots
 */
public final class PipelineBuilder<S> {
    final Evener evener;
    private final Supplier<List<S>> maker;
    private final boolean owns;
    final List<Stage<S>> stages = new ArrayList<>();

    @Nullable
    Policy policy;

    boolean inOrder = true;

    PipelineBuilder(Evener evener, Supplier<List<S>> maker, boolean owns) {
        this.evener = Objects.requireNonNull(evener, "evener");
        this.maker = maker;
        this.owns = owns;
    }

    /** Has all jobs cut by this policy, whatever they or the Evener say. */
    public PipelineBuilder<S> policy(Policy chosen) {
        this.policy = Objects.requireNonNull(chosen, "policy");
        return this;
    }

    /**
     * Lets items overtake each other: each enters a stage when it has left the one before and the stage has a place, of those that wait the
     * one submitted first. So one that takes long in a stage holds up no others; by default they enter each stage in the order of their
     * submission.
     */
    public PipelineBuilder<S> unordered() {
        this.inOrder = false;
        return this;
    }

    /**
     * A stage whose jobs are split over all devices, or run where they say themselves.
     *
     * @param name for reports and messages
     * @param job makes the job for the item in a slot
     */
    public PipelineBuilder<S> stage(String name, Function<? super S, Job> job) {
        return add(new Stage.OnDevices<>(name, null, 1, 2, false, Objects.requireNonNull(job, "job")));
    }

    /**
     * A stage of which so many jobs are submitted that no device waits for one. For streams of many items that throughput counts for:
     * the default policy gives an item whole to the device that is done with it first while others are in this stage or an earlier one, so that
     * devices need not wait for each other in the middle of an item, and splits one that is alone.
     *
     * @param name for reports and messages
     * @param job makes the job for the item in a slot
     */
    public PipelineBuilder<S> distributed(String name, Function<? super S, Job> job) {
        List<DeviceInfo> devices = evener.devices();
        int atOnce = devices.stream().mapToInt(PipelineBuilder::itemsAtOnce).sum();
        return add(new Stage.OnDevices<>(name, null, devices.size(), atOnce, true, Objects.requireNonNull(job, "job")));
    }

    /**
     * How many jobs a {@linkplain #distributed distributed} stage has submitted for each device: one that it works on and one that it finds
     * next; where it is no processor of the host's two more, as it works on three in turn while the host does their steps.
     */
    public static int itemsAtOnce(DeviceInfo device) {
        return device.kind().isHostProcessor() ? 2 : 4;
    }

    /**
     * A stage whose jobs run on these devices of the Evener, whatever they say themselves.
     *
     * @param name for reports and messages
     * @param devices such that another stage uses others
     * @param job makes the job for the item in a slot
     */
    public PipelineBuilder<S> stage(String name, DeviceSelector devices, Function<? super S, Job> job) {
        if (evener.devices().stream().noneMatch(devices::matches)) {
            throw new EvenerException("stage '" + name + "' wants devices '" + devices + "', but this Evener has "
                    + evener.devices().stream().map(d -> d.id()).toList());
        }
        return add(new Stage.OnDevices<>(name, devices, 1, 2, false, Objects.requireNonNull(job, "job")));
    }

    /**
     * A stage of host work: reading, decoding, writing.
     *
     * @param name for reports, messages and threads
     * @param threads how many items it works on at once, at least 1
     * @param work done for each item
     */
    public PipelineBuilder<S> host(String name, int threads, Pipeline.Work<? super S> work) {
        Objects.requireNonNull(work, "work");
        AtomicInteger begun = new AtomicInteger();
        return add(new Stage.OnHost<>(name, threads, work, Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, "evener-" + name + "-" + begun.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        })));
    }

    static <S extends AutoCloseable> List<S> make(int count, Supplier<? extends S> maker) {
        List<S> made = new ArrayList<>(count);
        try {
            for (int i = 0; i < count; i++) {
                made.add(maker.get());
            }
            return made;
        } catch (RuntimeException | Error e) {
            Pipeline.closeAll(made, e);
            throw e;
        }
    }

    private PipelineBuilder<S> add(Stage<S> stage) {
        if (stages.stream().anyMatch(s -> s.name().equals(stage.name()))) {
            throw new IllegalArgumentException("there are two stages of the name '" + stage.name() + "'");
        }
        stages.add(stage);
        return this;
    }

    /**
     * Makes the slots, if they are the pipeline's own, and opens it.
     *
     * @throws IllegalArgumentException if there is no stage or no slot, or a slot is given twice
     * @throws EvenerException if there is no memory for a slot
     */
    public Pipeline<S> open() {
        if (stages.isEmpty()) {
            throw new IllegalArgumentException("a pipeline needs at least one stage");
        }
        List<S> slots = maker.get();
        Set<S> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        distinct.addAll(slots);
        List<AutoCloseable> owned = new ArrayList<>();
        if (owns) {
            distinct.forEach(slot -> owned.add((AutoCloseable) slot));
        }
        if (distinct.isEmpty() || distinct.size() < slots.size()) {
            IllegalArgumentException refused = new IllegalArgumentException(
                    slots.isEmpty() ? "a pipeline needs at least 1 slot" : "a slot is given twice");
            Pipeline.closeAll(owned, refused);
            throw refused;
        }
        return new Pipeline<>(this, slots, owned);
    }
}
