package dev.evener.policy;

import java.util.List;

/**
 * Chunks of half a lane's part of the rest, from one range: {@link Policies#guided()}.
 *
 * @param chunks cut the job into about so many equal chunks instead; 0 for guided sizes
 */
record GuidedPolicy(int chunks) implements Policy, PolicyProvider {
    /** With chunks of guided sizes. */
    public GuidedPolicy() {
        this(0);
    }

    @Override
    public String name() {
        return "guided";
    }

    @Override
    public String description() {
        return "one common pool; a chunk is half of the lane's part of what is left";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.whole("chunks", 1, "", "cut the job into about so many equal chunks instead"));
    }

    @Override
    public Policy create(Settings settings) {
        return new GuidedPolicy(settings.has("chunks") ? settings.whole("chunks") : 0);
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return Plan.equal(Plan.Sharing.POOLED, snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        double left = progress.work();
        return Pace.half(progress, lane, chunks, left, left * Pace.part(progress, lane));
    }
}
