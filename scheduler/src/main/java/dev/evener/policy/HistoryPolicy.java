package dev.evener.policy;

/**
 * Shares that should make all lanes finish together, by the model, fixed while the job runs. No lane gets less than a granule
 * while there are plenty, so that a device whose speed changes is noticed.
 */
record HistoryPolicy() implements Policy {
    /** Granules for each lane from which one is too little to matter. */
    private static final long PLENTY = 16;

    @Override
    public String name() {
        return "history";
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        int lanes = snapshot.lanes().size();
        if (snapshot.granules() == 0) {
            return Plan.of(Plan.Sharing.FIXED, new long[lanes]);
        }
        long all = (1L << lanes) - 1;
        double[] work = snapshot.model().forecast(all).work();
        long[] shares =
                Apportion.byWork(work, snapshot.granules(), snapshot.model().profile());
        if (snapshot.granules() >= PLENTY * lanes) {
            Apportion.keepAll(shares, all);
        }
        return Plan.of(Plan.Sharing.FIXED, shares).balanced();
    }
}
