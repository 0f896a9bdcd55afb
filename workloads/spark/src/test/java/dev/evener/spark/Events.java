package dev.evener.spark;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** What happened in an application, heard as it happens. */
final class Events extends SparkListener {
    /** Why executors were lost, by their ids. */
    final Map<String, String> lost = new ConcurrentHashMap<>();
    /** Tasks that ended well. */
    final AtomicInteger done = new AtomicInteger();
    /** Copies of tasks that ended well, by host. */
    final Set<String> copies = ConcurrentHashMap.newKeySet();
    /** How tasks failed. */
    final Set<String> failures = ConcurrentHashMap.newKeySet();

    static Events of(JavaSparkContext spark) {
        Events events = new Events();
        spark.sc().addSparkListener(events);
        return events;
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
        lost.put(event.executorId(), event.reason());
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
        if (event.taskInfo().successful()) {
            done.incrementAndGet();
            if (event.taskInfo().speculative()) {
                copies.add(event.taskInfo().host());
            }
        } else {
            failures.add(event.reason().toString());
        }
    }
}
