package dev.evener.kernels.pipeline;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.kernels.pipeline.Schedule.Item;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * A stream that is read, distributed over devices and written, on a virtual clock. What is at work on a machine has a speed that depends
 * on what else is, and which changes whenever something begins or ends.
 */
final class SimulatedStream {
    /** How fast something is beside what else is at work, 1 alone. */
    @FunctionalInterface
    interface Speed {
        /**
         * Asked whenever something begins or ends.
         *
         * @param who a device's number, or -1 for a thread of the host
         * @param busy whether each device works, 0 or 1
         * @param threads of the host that work
         */
        double of(int who, int[] busy, int threads);
    }

    /** Something at work: a thread of the host with an item, or a device, or all of them. */
    private static final class Activity {
        final Item<Integer> item;
        final int device; // or ALL, or HOST
        double left = Double.NaN; // nanoseconds alone; NaN before it has begun
        double begun;

        Activity(Item<Integer> item, int device) {
            this.item = item;
            this.device = device;
        }
    }

    private static final int HOST = -3;

    final double[] nanos; // an item's of size 1, on each device
    double read = 1e5; // likewise, and of one thread
    double write = 1e5;
    int readers = 2;
    int writers = 2;
    int slots = 9;
    double noise;
    double splitting = 1.1; // what splitting an item costs
    Speed speed = (who, busy, threads) -> 1;
    Random random = new Random(1);
    double[] sizes = {1}; // of items, drawn at random; units are their square roots, as of pictures their rows
    IntConsumer atItem = ended -> {};
    int[] done; // items of each device

    double now;

    SimulatedStream(double... nanos) {
        this.nanos = nanos;
        this.done = new int[nanos.length];
    }

    /** Runs a stream of so many items; nanoseconds until the last is written. */
    double run(int items) {
        List<DeviceInfo> devices = IntStream.range(0, nanos.length)
                .mapToObj(d ->
                        new DeviceInfo("0." + d, "p", "d", DeviceKind.CPU, "1", 1, 1, 1, 1, 1, 1, 1, true, "d" + d))
                .toList();
        Schedule<Integer> schedule = new Schedule<>(
                List.of(
                        new Stage.OnHost<>("read", readers, (slot, reports) -> {}, Runnable::run),
                        new Stage.OnDevices<Integer>(
                                "work", null, true, slot -> Job.named("none").build()),
                        new Stage.OnHost<>("write", writers, (slot, reports) -> {}, Runnable::run)),
                IntStream.range(0, slots).boxed().toList(),
                devices,
                () -> Math.round(now));
        double[] size = new double[items];
        int submitted = 0;
        int ended = 0;
        int left = items;
        List<Activity> host = new ArrayList<>();
        List<ArrayDeque<Activity>> queues = new ArrayList<>();
        devices.forEach(d -> queues.add(new ArrayDeque<>()));
        while (left > 0) {
            for (Integer slot; submitted < items && (slot = schedule.tryAcquire()) != null; ) {
                size[submitted++] = sizes[random.nextInt(sizes.length)];
                schedule.add(slot);
            }
            for (Item<Integer> item : schedule.due()) {
                int stage = item.stage;
                Activity activity = new Activity(item, stage == 1 ? item.device : HOST);
                if (stage != 1) {
                    activity.left = (stage == 0 ? read : write) * size[(int) item.number] * noisy();
                    host.add(activity);
                } else if (activity.device == Distribution.ALL) {
                    queues.forEach(queue -> queue.add(activity));
                } else {
                    queues.get(activity.device).add(activity);
                }
            }
            // What may begin: the first of its queue, or of all of them.
            List<Activity> working = new ArrayList<>(host);
            int[] busy = new int[nanos.length];
            for (int d = 0; d < nanos.length; d++) {
                Activity next = queues.get(d).peek();
                if (next == null || (next.device < 0 && queues.stream().anyMatch(queue -> queue.peek() != next))) {
                    continue;
                }
                if (Double.isNaN(next.left)) {
                    next.begun = now;
                    double alone = next.device >= 0
                            ? nanos[d]
                            : (nanos.length > 1 ? splitting : 1)
                                    / Arrays.stream(nanos).map(n -> 1 / n).sum();
                    next.left = alone * size[(int) next.item.number] * noisy();
                }
                busy[d] = 1;
                if (!working.contains(next)) {
                    working.add(next);
                }
            }
            double step = Double.MAX_VALUE;
            Activity ends = null;
            double[] speeds = new double[working.size()];
            for (int a = 0; a < speeds.length; a++) {
                Activity each = working.get(a);
                int who = each.device == HOST ? -1 : Math.max(0, each.device);
                speeds[a] = speed.of(who, busy, host.size());
                if (each.left / speeds[a] < step) {
                    step = each.left / speeds[a];
                    ends = each;
                }
            }
            now += step;
            for (int a = 0; a < speeds.length; a++) {
                working.get(a).left -= step * speeds[a];
            }
            Activity over = Objects.requireNonNull(ends, "something waits and nothing works");
            host.remove(over);
            queues.forEach(queue -> queue.remove(over));
            Report report = null;
            if (over.device != HOST) {
                long units = Math.round(1024 * Math.sqrt(size[(int) over.item.number]));
                report = report(over, units);
                for (Report.DeviceUse use : report.devices()) {
                    done[Integer.parseInt(use.id().substring(2))]++;
                }
                atItem.accept(++ended);
            }
            if (!schedule.ended(over.item, true, report, 0)) {
                schedule.leave(over.item, true);
                left--;
            }
        }
        return now;
    }

    private double noisy() {
        return Math.exp(noise * random.nextGaussian());
    }

    private Report report(Activity over, long units) {
        int[] on = over.device >= 0
                ? new int[] {over.device}
                : IntStream.range(0, nanos.length).toArray();
        List<Report.DeviceUse> uses = new ArrayList<>();
        for (int d : on) {
            long alone = Math.round(nanos[d] * Math.pow(units / 1024.0, 2));
            uses.add(new Report.DeviceUse(
                    "0." + d, "d", DeviceKind.CPU, units / on.length, 1.0 / on.length, 1, 1, 0, 1, 0, 0, 0, alone));
        }
        long wall = Math.round(now - over.begun);
        return new Report("job", "single", units, 0, 0, wall, wall, null, List.of(), null, uses);
    }
}
