package dev.evener.model;

import dev.evener.DeviceInfo;

/**
 * Where the terms of a runtime's lanes are in a {@link Belief}. The logarithm of what a device takes for a unit is a sum: the
 * job's {@code scale}, the {@code class} of the device, which equal devices share, the {@code device} itself, and, in company,
 * {@code sharing} once for each e-fold of lanes and what the set does to this one beyond that. What a chunk takes on the device
 * whatever its size is a term of its own, {@code start}, which equal devices share.
 */
final class LaneTerms {
    /** Variance of the logarithm of a class's speed before anything is known: a factor of seven. */
    static final double CLASS_VARIANCE = 4;
    /**
     * Lanes take between 1 and |S| times as long together as alone. Anything between is as likely, on the logarithm's scale: a
     * mean of half of it and a variance of a twelfth. As devices are made to work side by side, rather less.
     */
    private static final double SHARING = 0.35;

    private static final double SHARING_VARIANCE = 1.0 / 12;
    /** What a chunk takes on a device whatever its size, launch apart: 5 µs, within a factor of seven. */
    static final double START_NANOS = 5_000;

    static final double START_VARIANCE = 4 * 4;
    /** A job's form for one device is another program: within a factor of 1.6. */
    private static final double FORM_VARIANCE = 0.5 * 0.5;

    private final JobHistory of;
    private final Belief belief;
    private final int scale;
    private final int sharing;
    private final int[] ofClass;
    private final int[] ofDevice;
    private final int[] start;
    private final int[] form; // what the job's form for one device makes of a class; none if it has no such form

    /** Finds the terms of a history's lanes, and adds what is missing to the belief, which nobody else may hold then. */
    static LaneTerms of(JobHistory of, Belief belief, DeviceInfo[] devices) {
        LaneTerms known = of.terms; // looked for once, as terms hardly ever come
        if (known == null || !known.belief.isLaidOutAs(belief)) {
            known = new LaneTerms(of, belief, devices);
            of.terms = known;
        }
        return new LaneTerms(known, belief);
    }

    private LaneTerms(LaneTerms known, Belief belief) {
        this.of = known.of;
        this.belief = belief;
        this.scale = known.scale;
        this.sharing = known.sharing;
        this.ofClass = known.ofClass;
        this.ofDevice = known.ofDevice;
        this.start = known.start;
        this.form = known.form;
    }

    private LaneTerms(JobHistory of, Belief belief, DeviceInfo[] devices) {
        this.of = of;
        this.belief = belief;
        this.scale = belief.place("scale", 0, 1);
        this.sharing = belief.place("sharing", SHARING, SHARING_VARIANCE);
        this.ofClass = new int[devices.length];
        this.ofDevice = new int[devices.length];
        this.start = new int[devices.length];
        this.form = new int[of.hasForm() ? devices.length : 0];
        for (int i = 0; i < devices.length; i++) {
            ofClass[i] = belief.place("class " + of.classOf(i), -Math.log(devices[i].roughSpeed()), CLASS_VARIANCE);
            if (of.hasForm()) {
                form[i] = belief.place("form " + of.classOf(i), 0, FORM_VARIANCE);
            }
            ofDevice[i] = belief.place("device " + of.device(i), 0, SizeModel.ALIKE);
            start[i] = belief.place("start " + of.classOf(i), Math.log(START_NANOS), START_VARIANCE);
        }
    }

    /** Whether a belief has the terms of these lanes. */
    static boolean in(Belief belief, JobHistory of) {
        LaneTerms known = of.terms;
        if (known != null && known.belief.isLaidOutAs(belief)) {
            return true;
        }
        boolean all = true;
        for (int i = 0; i < of.lanes(); i++) {
            all &= belief.find("device " + of.device(i)) >= 0;
        }
        return all;
    }

    /** Adds the terms of what a set does to its lanes. */
    void addCompany(long set) {
        for (int i = 0; i < ofDevice.length && Long.bitCount(set) > 1; i++) {
            if ((set >>> i & 1) == 1) {
                belief.place(of.companyTerm(set, i), 0, SizeModel.ALIKE);
            }
        }
    }

    /** One more job, by which all evidence has become older. */
    void fade() {
        for (int i = 0; i < belief.size(); i++) {
            if (i != scale && belief.covariance(i, i) < CLASS_VARIANCE) { // classes stand for the scale
                belief.doubt(i, i == sharing ? SizeModel.FADE / 10 : SizeModel.FADE);
            }
        }
    }

    /** Logarithm of what a lane of a set takes for a unit. */
    double log(int lane, long set) {
        double sum = belief.mean(scale) + belief.mean(ofClass[lane]) + belief.mean(ofDevice[lane]);
        int lanes = Long.bitCount(set);
        if (lanes == 1 && form.length > 0) {
            sum += belief.mean(form[lane]);
        }
        if (lanes > 1) {
            int company = belief.find(of.companyTerm(set, lane));
            sum += Math.log(lanes) * belief.mean(sharing) + (company < 0 ? 0 : belief.mean(company));
        }
        return sum;
    }

    /** Adds a lane's terms to a row; returns the variance of what the belief has no term for. */
    double add(double[] row, int lane, long set, double factor) {
        row[scale] += factor;
        row[ofClass[lane]] += factor;
        row[ofDevice[lane]] += factor;
        int lanes = Long.bitCount(set);
        if (lanes == 1 && form.length > 0) {
            row[form[lane]] += factor;
        }
        if (lanes > 1) {
            row[sharing] += factor * Math.log(lanes);
            int company = belief.find(of.companyTerm(set, lane));
            if (company < 0) {
                return factor * factor * SizeModel.ALIKE;
            }
            row[company] += factor;
        }
        return 0;
    }

    int scale() {
        return scale;
    }

    /** What may change: the device, and what the set does to it. */
    int[] changing(int lane, long set) {
        int company = Long.bitCount(set) == 1 ? -1 : belief.find(of.companyTerm(set, lane));
        return company < 0 ? new int[] {ofDevice[lane]} : new int[] {ofDevice[lane], company};
    }

    int start(int lane) {
        return start[lane];
    }

    /** What a chunk takes on the device whatever its size, in nanoseconds. */
    double startNanos(int lane) {
        return Math.exp(belief.mean(start[lane]));
    }
}
