package dev.evener.record;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import dev.evener.record.Checked.WrongLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Puts lines of a record together, and refuses what cannot be: one job's event before it was submitted, say. One thread. */
final class Assembly {
    private final List<Recording.Run> runs = new ArrayList<>();
    private final List<Recording.Task> tasks = new ArrayList<>();
    private @Nullable Open open;
    private long requests;
    private long events;
    private boolean ended;
    private final Map<String, Long> skipped = new TreeMap<>(); // kinds of events that are not known

    /** The run that lines belong to at present. */
    private static final class Open {
        final Line.Opened line;
        final List<Recording.Request> requests = new ArrayList<>();
        final List<RunEvent> events = new ArrayList<>();
        final Map<Long, RunEvent.Submitted> jobs = new HashMap<>();
        final long firstRequest;

        Open(Line.Opened line, long firstRequest) {
            this.line = line;
            this.firstRequest = firstRequest;
        }

        Recording.Run run() {
            return new Recording.Run(line.at(), line.devices(), requests, events);
        }
    }

    /** Whether the last line was there. */
    boolean ended() {
        return ended;
    }

    /** @param before lines before this one */
    void add(Line line, long before) throws WrongLine {
        if (ended) {
            throw new WrongLine("something follows the end of the record");
        }
        if (line instanceof Line.Event e) {
            event(e.event());
        } else if (line instanceof Line.Skipped s) {
            skipped.merge(s.kind(), 1L, Long::sum);
            events++;
        } else if (line instanceof Line.Request r) {
            request(r);
        } else if (line instanceof Line.Result r) {
            result(r);
        } else if (line instanceof Line.Task t) {
            inOrder("task", t.task(), tasks.size());
            tasks.add(t.what());
        } else if (line instanceof Line.Opened o) {
            closeRun();
            inOrder("run", o.run(), runs.size());
            open = new Open(o, requests);
        } else if (line instanceof Line.End e) {
            if (e.lines() != before || e.events() != events) {
                throw new WrongLine("the record should have " + e.lines() + " lines and " + e.events()
                        + " events before this one, and has " + before + " and " + events
                        + ": lines were lost or added");
            }
            ended = true;
        }
    }

    private static void inOrder(String what, long number, long before) throws WrongLine {
        if (number != before + 1) {
            throw new WrongLine(what + " " + number + " follows " + what + " " + before);
        }
    }

    private Open run(String what) throws WrongLine {
        if (open == null) {
            throw new WrongLine(what + " before any run");
        }
        return open;
    }

    private void request(Line.Request line) throws WrongLine {
        Open run = run("a request");
        inOrder("request", line.request(), requests);
        if (line.task() > tasks.size()) {
            throw new WrongLine("there is no task " + line.task() + " before this line");
        }
        requests++;
        Recording.Task task = tasks.get((int) line.task() - 1);
        run.requests.add(new Recording.Request(line.request(), task, line.at(), line.policy(), line.fresh(), 0, null));
    }

    private void result(Line.Result line) throws WrongLine {
        Open run = run("a result");
        long index = line.result() - run.firstRequest - 1;
        if (index < 0 || index >= run.requests.size()) {
            throw new WrongLine("there is no request " + line.result() + " in this run before this line");
        }
        Recording.Request request = run.requests.get((int) index);
        if (request.result() != null) {
            throw new WrongLine("request " + line.result() + " has a result already");
        }
        run.requests.set((int) index, request.withResult(line.digest()));
    }

    private void event(RunEvent event) throws WrongLine {
        Open run = run("an event");
        List<DeviceInfo> devices = run.line.devices();
        RunEvent.Submitted job = run.jobs.get(event.job());
        if (event instanceof RunEvent.Submitted s) {
            if (job != null) {
                throw new WrongLine("job " + s.job() + " was submitted before");
            }
            for (int device : s.devices()) {
                known(device, devices);
            }
            for (RunEvent.BufferUse use : s.buffers()) {
                if (use.phase() >= s.kernels().size()
                        || use.bytes() > use.size()
                        || use.from() > use.size() - use.bytes()
                        || use.hostTo() > use.size()
                        || use.hostFrom() > use.hostTo()) {
                    throw new WrongLine("job " + s.job() + " has no such phase, or buffer " + use.buffer() + " of "
                            + use.size() + " bytes no such part");
                }
            }
            run.jobs.put(s.job(), s);
            int last = run.requests.size() - 1;
            if (last >= 0 && run.requests.get(last).job() == 0) {
                run.requests.set(last, run.requests.get(last).withJob(s.job()));
            }
        } else if (job == null) {
            throw new WrongLine("job " + event.job() + " was never submitted");
        } else if (event instanceof RunEvent.Chunk c) {
            known(c.device(), devices);
            known(c.owner(), devices);
            within(c.firstUnit(), c.units(), job);
            if (c.end() < c.start()) {
                throw new WrongLine("the chunk ends " + (c.start() - c.end()) + " ns before it starts");
            }
        } else if (event instanceof RunEvent.Stolen s) {
            known(s.thief(), devices);
            known(s.victim(), devices);
            within(0, s.units(), job);
        } else if (event instanceof RunEvent.Moved m) {
            known(m.device(), devices);
        } else if (event instanceof RunEvent.Fault f) {
            known(f.device(), devices);
        } else if (event instanceof RunEvent.Planned p
                && p.shares().size() != job.devices().size()) {
            throw new WrongLine("there are " + p.shares().size() + " shares for "
                    + job.devices().size() + " devices");
        }
        run.events.add(event);
        events++;
    }

    private static void known(int device, List<DeviceInfo> devices) throws WrongLine {
        if (device >= devices.size()) {
            throw new WrongLine("there is no device " + device + " in this run, which has " + devices.size());
        }
    }

    private static void within(long first, long units, RunEvent.Submitted job) throws WrongLine {
        if (first > job.units() || units > job.units() - first) {
            throw new WrongLine(
                    units + " units from " + first + " on are not within the " + job.units() + " of job " + job.job());
        }
    }

    private void closeRun() {
        if (open != null) {
            runs.add(open.run());
        }
        open = null;
    }

    /** Events that were passed over, by kind. */
    Map<String, Long> skipped() {
        return skipped;
    }

    /** All runs. */
    List<Recording.Run> runs() {
        closeRun();
        return runs;
    }
}
