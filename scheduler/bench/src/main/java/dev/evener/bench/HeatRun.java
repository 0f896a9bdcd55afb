package dev.evener.bench;

import dev.evener.DataBuffer;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.iteration.Iteration;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One run of {@link Heat} as an iteration on managed buffers, to be compared in turn with runs of other systems
 * ({@code scheduler/bench/starpu/compare}). Prints microseconds a step, and the rows of each device in one more step.
 */
public final class HeatRun {
    private HeatRun() {}

    /**
     * Learns during some steps, then measures others.
     *
     * @param args rows of the square, steps, an even number of steps before that do not count, a selector of devices, a policy, {@code shared}
     *     for devices that work in the host's memory or {@code transfers} for copies of their own, the file for the values after these steps,
     *     and for how many seconds to run such steps before all that
     * @throws IOException if the file cannot be written
     */
    public static void main(String[] args) throws IOException {
        int n = Integer.parseInt(args[0]);
        int steps = Integer.parseInt(args[1]);
        int learning = Integer.parseInt(args[2]);
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse(args[3]))
                        .policy(Policies.named(args[4]))
                        .sharedMemory(args[5].equals("shared"))
                        .history(History.inMemory())
                        .open();
                ManagedBuffer first = evener.allocateManaged(ElementType.FLOAT, (long) n * n);
                ManagedBuffer second = evener.allocateManaged(ElementType.FLOAT, (long) n * n)) {
            Heat.fill(first, Heat.values(n));
            Job step = Heat.step(first, second, n);
            Iteration iteration = Iteration.of(step).rotating(first, second);
            // Java's compiler is at work meanwhile, on a core that the devices lack.
            for (long start = System.nanoTime(), end = start + seconds(args[7]); System.nanoTime() < end; ) {
                Heat.run(evener, iteration, 20);
            }
            Heat.fill(first, Heat.values(n));
            Heat.run(evener, iteration, learning);
            double took = Heat.run(evener, iteration, steps);
            boolean swapped = steps % 2 == 1;
            write(swapped ? second : first, Path.of(args[6]));
            String rows = evener.submit(swapped ? step.swap(first, second) : step).join().devices().stream()
                    .map(use -> Long.toString(use.units()))
                    .collect(Collectors.joining(" "));
            System.out.printf(Locale.ROOT, "%.1f %s%n", took, rows);
        }
    }

    private static long seconds(String text) {
        return TimeUnit.SECONDS.toNanos(Long.parseLong(text));
    }

    private static void write(DataBuffer buffer, Path file) throws IOException {
        float[] values = Heat.content(buffer);
        ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * values.length).order(ByteOrder.nativeOrder());
        bytes.asFloatBuffer().put(values);
        Files.write(file, bytes.array());
    }
}
