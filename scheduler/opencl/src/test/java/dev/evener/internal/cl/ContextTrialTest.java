package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.NativeLedger;
import dev.evener.internal.cl.ContextTrial.Verdict;
import dev.evener.internal.recovery.LaneFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextTrialTest {
    private static final Verdict TRIED_HERE = new Verdict(3, 4);

    @TempDir
    Path folder;

    private final List<ClDevice> devices = ClDevice.all();
    private final ClDevice one = devices.get(0);
    private final ClDevice other = devices.get(1);

    @Test
    void twoDevicesAreTriedAndNothingIsLeft() {
        var before = NativeLedger.live();
        Verdict found = ContextTrial.run(one, other);
        assertTrue(found.calls() > 0 && found.calls() < 1e6, found::toString);
        assertTrue(found.handOver() > 0 && found.handOver() < 1e9, found::toString);
        assertEquals(before, NativeLedger.live());
    }

    /** In a folder without a verdict. */
    private Verdict apart(Duration limit, List<String> command) throws IOException {
        Path empty = Files.createTempDirectory(folder, "trial");
        return ContextTrial.of(one, other, empty, ContextTrial.trial(command, limit), (a, b) -> TRIED_HERE);
    }

    private Verdict apart(Duration limit, String script) throws IOException {
        return apart(limit, List.of("sh", "-c", script));
    }

    /** Its first crash was that of the program which opened the devices. */
    @Test
    void itRunsInAnotherProcess() throws IOException {
        Duration enough = Duration.ofMinutes(5);
        Verdict found = apart(enough, ContextTrial.java(one, other));
        assertTrue(found.calls() > 0 && found.calls() < 1e6, found::toString);
        assertEquals(new Verdict(7, 9), apart(enough, "printf 'calls=7\\nhandOver=9\\n' >\"$0\""));
        Verdict cannot = new Verdict(Double.POSITIVE_INFINITY, 1);
        assertEquals(cannot, apart(enough, "echo process=1 >\"$0\"; kill -SEGV $$"), "it crashes");
        assertEquals(cannot, apart(Duration.ofSeconds(2), "echo process=1 >\"$0\"; exec sleep 600"), "it hangs");
        for (String neverBegins : List.of("exit 1", "kill -SEGV $$")) {
            assertEquals(TRIED_HERE, apart(enough, neverBegins));
        }
        assertEquals(TRIED_HERE, apart(enough, List.of("/no/such/program")));
        assertEquals(TRIED_HERE, apart(enough, List.of()));
    }

    private Verdict verdict(BiFunction<ClDevice, ClDevice, Verdict> here) {
        return ContextTrial.of(one, other, folder, ContextTrial.trial(List.of(), Duration.ofMinutes(5)), here);
    }

    @Test
    void aVerdictIsKept() throws IOException {
        AtomicInteger trials = new AtomicInteger();
        Verdict costly = new Verdict(2.5, 80);
        for (int i = 0; i < 2; i++) {
            assertEquals(costly, verdict((a, b) -> {
                trials.incrementAndGet();
                return costly;
            }));
        }
        assertEquals(1, trials.get());
        assertFalse(costly.isFree());
        assertEquals(
                "in one context calls take 2.5 times, and an object that another device has used 80.0 times as long",
                costly.reason());
        try (Stream<Path> files = Files.list(folder)) {
            Files.writeString(
                    files.filter(file -> file.toString().endsWith(".properties"))
                            .findFirst()
                            .orElseThrow(),
                    "calls = many");
        }
        assertEquals(new Verdict(1, 1), verdict((a, b) -> new Verdict(1, 1)));
        assertTrue(new Verdict(1, 1).isFree());
    }

    /** Of a driver that ends the process, every later start would have been ended as well. */
    @Test
    void aTrialThatEndedItsProcessIsNotTriedAgain() throws IOException {
        verdict((a, b) -> {
            try (Stream<Path> files = Files.list(folder)) { // what there is while it runs is what a crash leaves
                Path mark = files.filter(file -> file.toString().endsWith(".properties"))
                        .findFirst()
                        .orElseThrow();
                Files.copy(mark, Path.of(mark + ".left"));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            return new Verdict(1, 1);
        });
        try (Stream<Path> files = Files.list(folder)) {
            Path left = files.filter(file -> file.toString().endsWith(".left"))
                    .findFirst()
                    .orElseThrow();
            Files.move(left, Path.of(left.toString().replace(".left", "")), StandardCopyOption.REPLACE_EXISTING);
        }
        for (int i = 0; i < 2; i++) {
            Verdict found = verdict((a, b) -> {
                throw new AssertionError("tried again");
            });
            assertFalse(found.isFree());
        }
    }

    @Test
    void devicesThatCannotShareAContextHaveOneEach() {
        Verdict found = verdict((a, b) -> {
            throw new LaneFailure(LaneFailure.Kind.DEVICE, "no common context");
        });
        assertFalse(found.isFree());
        assertEquals("they cannot share one", found.reason());
        assertEquals(found, verdict((a, b) -> new Verdict(1, 1)));
    }
}
