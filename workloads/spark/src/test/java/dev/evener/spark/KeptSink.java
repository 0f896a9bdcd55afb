package dev.evener.spark;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.metrics.sink.Sink;

/** As Spark's sinks are: takes the counters of this process, of all sources, when the application ends. */
public final class KeptSink implements Sink {
    private static volatile Map<String, Counter> last = Map.of();

    private final MetricRegistry metrics;

    /** As Spark makes one. */
    public KeptSink(Properties properties, MetricRegistry metrics) {
        this.metrics = metrics;
    }

    /** A counter of Evener's plugin in the last application. */
    static long count(String name) {
        String end = "plugin." + EvenerPlugin.class.getName() + "." + name;
        List<Counter> found = last.entrySet().stream()
                .filter(each -> each.getKey().endsWith(end))
                .map(Map.Entry::getValue)
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException(found.size() + " counters " + end + " of " + last.keySet());
        }
        return found.get(0).getCount();
    }

    @Override
    public void start() {}

    @Override
    public void stop() {
        last = Map.copyOf(metrics.getCounters());
    }

    @Override
    public void report() {}
}
