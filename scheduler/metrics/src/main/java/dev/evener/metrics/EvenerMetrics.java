package dev.evener.metrics;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What jobs and devices of one {@link Evener} do, as meters of a registry:
 *
 * <pre>{@code
 * EvenerMetrics metrics = new EvenerMetrics(registry);
 * Evener evener = Evener.builder().listener(metrics).open();
 * metrics.watchQueue(evener);
 * }</pre>
 *
 * <p>Timers {@code evener.job} (from when its devices were free and its programs built to its result; tags {@code job.name},
 * {@code outcome}, {@code success} or {@code failure}, and {@code failure}, its kind or {@code none}), {@code evener.job.wait} (from its submission until then, without building)
 * and {@code evener.job.build} (of jobs for which something was built). Counters with the tag {@code device}: {@code evener.device.busy} (seconds
 * from the start of each chunk on the device to its end), {@code evener.device.chunks}, {@code evener.device.units}, {@code
 * evener.device.steals} (chunks taken from another device), {@code evener.device.transferred} (bytes; tag {@code direction}, {@code in} for to the
 * device), {@code evener.device.moved} (bytes that were moved for jobs by then, of which the former counts what chunks did; tags {@code
 * direction} and {@code cause}, such as {@code halo}) and {@code evener.device.faults}. Gauges of the queue: {@code evener.queue.length} and {@code evener.queue.oldest}. The names
 * of jobs should be few: each makes meters of its own.
 *
 * <p>Thread-safe. A chunk costs a few additions and no allocation. The meters stay in the registry when the Evener closes.
 */
@SuppressWarnings("exports") // whoever has meters requires Micrometer
public final class EvenerMetrics implements RunListener {
    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<Long, Job> jobs = new ConcurrentHashMap<>();
    private volatile Device[] devices = {};

    /** Of a job under way. */
    private static final class Job {
        final String name;
        final long submitted;
        volatile long planned; // the first time

        Job(String name, long submitted) {
            this.name = name;
            this.submitted = submitted;
            this.planned = Long.MIN_VALUE;
        }
    }

    private record Device(
            String id,
            Counter busy,
            Counter chunks,
            Counter units,
            Counter steals,
            Counter in,
            Counter out,
            Counter faults) {}

    /** Meters without further tags. */
    public EvenerMetrics(MeterRegistry registry) {
        this(registry, Tags.empty());
    }

    /** @param tags of all meters, such as one that tells two Eveners of a process apart */
    public EvenerMetrics(MeterRegistry registry, Iterable<Tag> tags) {
        this.registry = registry;
        this.tags = Tags.of(tags);
    }

    /** Adds the gauges of what waits in the Evener. The registry does not keep it from being collected. */
    public void watchQueue(Evener evener) {
        Gauge.builder("evener.queue.length", evener, e -> e.queue().length())
                .tags(tags)
                .description("jobs that wait for devices")
                .register(registry);
        TimeGauge.builder("evener.queue.oldest", evener, TimeUnit.NANOSECONDS, e ->
                        (double) e.queue().oldest().toNanos())
                .tags(tags)
                .description("how long the one submitted first of them has waited")
                .register(registry);
    }

    /**
     * Adds the gauges of how the devices are: {@code evener.device.working}, 1 or 0 for each, and {@code evener.degraded}, 1 where there
     * is less than was meant ({@link DeviceInfo.Health}). The registry does not keep the Evener from being collected.
     */
    public void watchHealth(Evener evener) {
        Gauge.builder("evener.degraded", evener, e -> e.health().degraded() ? 1 : 0)
                .tags(tags)
                .description("whether fewer devices work than were meant")
                .register(registry);
        for (DeviceInfo device : evener.devices()) {
            Gauge.builder(
                            "evener.device.working",
                            evener,
                            e -> e.health().working().contains(device) ? 1 : 0)
                    .tags(tags.and("device", device.id()))
                    .description("whether it is given work, which it is not in quarantine")
                    .register(registry);
        }
    }

    @Override
    public void opened(List<DeviceInfo> opened) {
        devices = opened.stream().map(device -> device(device.id())).toArray(Device[]::new);
    }

    private Device device(String id) {
        Tags own = tags.and("device", id);
        return new Device(
                id,
                counter("busy", "seconds", "time at work on chunks", own),
                counter("chunks", "chunks", "chunks done", own),
                counter("units", "units", "units done, over all phases", own),
                counter("steals", "steals", "times it took chunks from another device", own),
                counter("transferred", "bytes", "bytes sent and fetched", own.and("direction", "in")),
                counter("transferred", "bytes", "bytes sent and fetched", own.and("direction", "out")),
                counter("faults", "faults", "what went wrong on it", own));
    }

    private Counter counter(String name, String unit, String description, Tags with) {
        return Counter.builder("evener.device." + name)
                .baseUnit(unit)
                .description(description)
                .tags(with)
                .register(registry);
    }

    @Override
    public void heard(RunEvent event) {
        if (event instanceof RunEvent.Chunk chunk) {
            Device device = devices[chunk.device()];
            device.busy.increment((chunk.end() - chunk.start()) / 1e9);
            device.chunks.increment();
            device.units.increment((double) chunk.units());
            device.in.increment((double) chunk.bytesIn());
            device.out.increment((double) chunk.bytesOut());
        } else if (event instanceof RunEvent.Stolen stolen) {
            devices[stolen.thief()].steals.increment();
        } else if (event instanceof RunEvent.Fault fault) {
            devices[fault.device()].faults.increment();
        } else if (event instanceof RunEvent.Moved moved) {
            Tags own = tags.and(
                    "device", devices[moved.device()].id, "cause", moved.cause().id());
            String description = "bytes sent and fetched, by cause";
            counter("moved", "bytes", description, own.and("direction", "in")).increment((double) moved.sent());
            counter("moved", "bytes", description, own.and("direction", "out")).increment((double) moved.fetched());
        } else if (event instanceof RunEvent.Submitted submitted) {
            jobs.put(submitted.job(), new Job(submitted.name(), submitted.at()));
        } else if (event instanceof RunEvent.Planned planned) {
            Job job = jobs.get(planned.job());
            if (job != null && job.planned == Long.MIN_VALUE) {
                job.planned = planned.at();
            }
        } else if (event instanceof RunEvent.Ended ended) {
            Job job = jobs.remove(ended.job());
            if (job != null) {
                ended(job, ended);
            }
        }
    }

    private void ended(Job job, RunEvent.Ended ended) {
        Tags own = tags.and("job.name", job.name);
        String failure = ended.failure() == null ? "none" : Objects.requireNonNullElse(ended.kind(), "other");
        Tags outcome = own.and("outcome", failure.equals("none") ? "success" : "failure", "failure", failure);
        time("evener.job", "from devices being free to the result", outcome, ended.wallNanos());
        if (job.planned != Long.MIN_VALUE) {
            time(
                    "evener.job.wait",
                    "from submission until then, but for building",
                    own,
                    job.planned - job.submitted - ended.buildNanos());
        }
        if (ended.buildNanos() > 0) {
            time("evener.job.build", "building of programs", own, ended.buildNanos());
        }
    }

    private void time(String name, String description, Tags with, long nanos) {
        Timer.builder(name)
                .description(description)
                .tags(with)
                .register(registry)
                .record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }
}
