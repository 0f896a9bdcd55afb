package dev.evener.workloads.view;

import java.util.ArrayList;
import java.util.List;

/**
 * A linear scale with ticks at 1, 2 or 5 times a power of ten.
 *
 * @param low value at {@code from}
 * @param high value at {@code to}, more than {@code low}
 * @param from place of {@code low} in the drawing
 * @param to place of {@code high}
 */
record Axis(double low, double high, double from, double to) {
    Axis {
        if (!(high > low)) {
            high = low + 1;
        }
    }

    double at(double value) {
        return from + (value - low) / (high - low) * (to - from);
    }

    double at(long value) {
        return at((double) value);
    }

    double perUnit() {
        return (to - from) / (high - low);
    }

    /** About so many ticks. */
    List<Double> ticks(int about) {
        double raw = (high - low) / about;
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        double lead = raw / power;
        double step = (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
        List<Double> ticks = new ArrayList<>();
        for (double tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) {
            ticks.add(Math.abs(tick) < step / 1e6 ? 0 : tick);
        }
        return ticks;
    }

    /** The unit of time in which the ticks are short. */
    static TimeUnitOf unit(double nanos) {
        return nanos >= 2e9
                ? new TimeUnitOf("s", 1e9)
                : nanos >= 2e6
                        ? new TimeUnitOf("ms", 1e6)
                        : nanos >= 2e3 ? new TimeUnitOf("µs", 1e3) : new TimeUnitOf("ns", 1);
    }

    /** A unit and how many nanoseconds it has. */
    record TimeUnitOf(String name, double nanos) {}

    /** A tick as it is written: plain, with as many places as tell neighbours apart. */
    static String label(double value) {
        return Svg.number(Math.round(value * 1000) / 1000.0);
    }
}
