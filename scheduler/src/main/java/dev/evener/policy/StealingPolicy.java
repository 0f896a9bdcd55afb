package dev.evener.policy;

import java.util.Arrays;

/**
 * Equal shares to start with, whatever the devices' speeds; a lane that is done steals. Each chunk is half of what the lane
 * has left, but worth its launch, so that much can be stolen early and little is left to balance at the end.
 *
 * @param chunks cut the job into about so many equal chunks instead; 0 for halves
 */
record StealingPolicy(int chunks) implements Policy {
    @Override
    public String name() {
        return "stealing";
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        double[] equal = new double[snapshot.lanes().size()];
        Arrays.fill(equal, 1);
        return Plan.of(Plan.Sharing.STEALING, Apportion.byWeight(equal, snapshot.granules()));
    }

    @Override
    public long chunk(Progress progress, int lane) {
        if (chunks > 0) {
            return Pace.equalChunk(progress.granules(), chunks);
        }
        double left = progress.work(lane);
        double wanted = Math.min(left / 2, Pace.safe(progress, lane, Pace.part(progress, lane), left));
        return progress.granulesOfWork(lane, Pace.chunk(progress, lane, wanted, left));
    }
}
