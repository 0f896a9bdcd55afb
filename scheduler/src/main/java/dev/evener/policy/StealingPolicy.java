package dev.evener.policy;

import java.util.List;

/**
 * Equal shares, and a lane that is done steals: {@link Policies#stealing()}.
 *
 * @param chunks cut the job into about so many equal chunks instead; 0 for halves
 */
record StealingPolicy(int chunks) implements Policy, PolicyProvider {
    /** With chunks of halves. */
    public StealingPolicy() {
        this(0);
    }

    @Override
    public String name() {
        return "stealing";
    }

    @Override
    public String description() {
        return "equal shares; a lane takes half of what it has left each time, or of its part, and steals when it has none";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.whole("chunks", 1, "", "cut the job into about so many equal chunks instead"));
    }

    @Override
    public Policy create(Settings settings) {
        return new StealingPolicy(settings.has("chunks") ? settings.whole("chunks") : 0);
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return Plan.equal(Plan.Sharing.STEALING, snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        double left = progress.work(lane);
        double part = Math.min(left, Pace.part(progress, lane) * Pace.left(progress));
        return Pace.half(progress, lane, chunks, left, part);
    }
}
