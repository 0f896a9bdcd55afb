package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Keeps what it hears. */
final class Heard implements RunListener {
    final List<RunEvent> events = new ArrayList<>();

    @Override
    public void heard(RunEvent event) {
        events.add(event);
    }

    <T extends RunEvent> List<T> all(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    String text() {
        StringBuilder text = new StringBuilder();
        events.forEach(event -> text.append(event).append('\n'));
        return text.toString();
    }

    /** Fails unless the chunks of each phase of a job cover each of its units once. */
    void assertCovers(long job, int phases, long units) {
        for (int p = 0; p < phases; p++) {
            int phase = p;
            List<RunEvent.Chunk> chunks = all(RunEvent.Chunk.class).stream()
                    .filter(c -> c.job() == job && c.phase() == phase)
                    .sorted(Comparator.comparingLong(RunEvent.Chunk::firstUnit))
                    .toList();
            long next = 0;
            for (RunEvent.Chunk chunk : chunks) {
                assertEquals(next, chunk.firstUnit(), "job " + job + ", phase " + p);
                next += chunk.units();
            }
            assertEquals(units, next, "job " + job + ", phase " + p);
        }
    }
}
