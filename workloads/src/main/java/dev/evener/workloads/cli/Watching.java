package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.workloads.bench.Watch;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Request;

/** Who hears of a command's jobs: what {@code --record}, {@code --trace} and {@code --report} ask for. One thread. */
record Watching(RecordOption.Session record, ViewOptions view) implements Watch {
    @Override
    public Evener.Builder on(Evener.Builder builder, String title) {
        return record.on(view.on(builder, title));
    }

    @Override
    public JobLog jobs(Request request, String devices) {
        return record.jobs(request, devices);
    }
}
