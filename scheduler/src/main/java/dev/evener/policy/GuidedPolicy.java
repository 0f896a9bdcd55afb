package dev.evener.policy;

import java.util.Arrays;

/**
 * All lanes take from one range, each time half of what would be their part of the rest, by present speed: guided
 * self-scheduling (Polychronopoulos and Kuck, 1987) for unequal devices, known as HGuided (Bosque, Toharia, Robles and
 * Pastor, A Load Index and Load Balancing Algorithm for Heterogeneous Clusters, 2013; Nozal, Bosque and Beivide, EngineCL,
 * 2020), with a least chunk for each device that is worth its launch.
 *
 * @param chunks cut the job into about so many equal chunks instead; 0 for guided sizes
 */
record GuidedPolicy(int chunks) implements Policy {
    @Override
    public String name() {
        return "guided";
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        // Shares say only who takes part: everybody for whom there is a granule.
        double[] equal = new double[snapshot.lanes().size()];
        Arrays.fill(equal, 1);
        return Plan.of(Plan.Sharing.POOLED, Apportion.byWeight(equal, snapshot.granules()));
    }

    @Override
    public long chunk(Progress progress, int lane) {
        if (chunks > 0) {
            return Pace.equalChunk(progress.granules(), chunks);
        }
        double left = progress.work();
        double own = Pace.part(progress, lane);
        double part = left * own;
        double wanted = Math.min(part / 2, Pace.safe(progress, lane, own, part));
        return progress.granulesOfWork(lane, Pace.chunk(progress, lane, wanted, left));
    }
}
