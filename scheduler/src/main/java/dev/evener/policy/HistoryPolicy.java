package dev.evener.policy;

/** Shares that make all lanes finish together, by the model, and stay: {@link Policies#history()}. */
record HistoryPolicy() implements Policy, PolicyProvider {
    /** Granules for each lane from which one is too little to matter. */
    private static final long PLENTY = 16;

    @Override
    public String name() {
        return "history";
    }

    @Override
    public String description() {
        return "shares by the history for all devices, fixed while the job runs";
    }

    @Override
    public Policy create(Settings settings) {
        return this;
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        int lanes = snapshot.lanes().size();
        if (snapshot.granules() == 0) {
            return Plan.of(Plan.Sharing.FIXED, new long[lanes]);
        }
        CostModel model = snapshot.model();
        long[] shares =
                Apportion.byWork(model.forecast(LaneSet.all(lanes)).work(), snapshot.granules(), model.profile());
        if (snapshot.granules() >= PLENTY * lanes) {
            Apportion.keepAll(shares);
        }
        return Plan.of(Plan.Sharing.FIXED, shares).balanced();
    }
}
