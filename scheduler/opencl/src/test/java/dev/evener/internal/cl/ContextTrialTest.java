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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextTrialTest {
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

    private Verdict apart(Duration limit, String... script) {
        List<String> command =
                script.length == 0 ? DriverTrial.java(ContextTrial.class) : List.of("sh", "-c", script[0]);
        return ContextTrial.apart(one, other, command, limit);
    }

    /** Its first crash was that of the program which opened the devices. */
    @Test
    void itRunsInAnotherProcess() {
        Duration enough = Duration.ofMinutes(5);
        Verdict found = apart(enough);
        assertTrue(found.calls() > 0 && found.calls() < 1e6, found::toString);
        assertEquals(new Verdict(7, 9), apart(enough, "printf 'process=1\\ncalls=7\\nhandOver=9\\n' >\"$0\""));
        Verdict cannot = new Verdict(Double.POSITIVE_INFINITY, 1);
        assertEquals(cannot, apart(enough, "echo process=1 >\"$0\"; kill -SEGV $$"), "it crashes");
        assertEquals(cannot, apart(Duration.ofSeconds(2), "echo process=1 >\"$0\"; exec sleep 600"), "it hangs");
        for (String neverBegins : List.of("exit 1", "kill -SEGV $$")) {
            assertTrue(apart(enough, neverBegins).calls() < 1e6, "tried here");
        }
        assertTrue(ContextTrial.apart(one, other, List.of("/no/such/program"), enough)
                        .calls()
                < 1e6);
        assertTrue(ContextTrial.apart(one, other, List.of(), enough).calls() < 1e6);
    }

    @Test
    void aVerdictIsKept() throws IOException {
        AtomicInteger trials = new AtomicInteger();
        Verdict costly = new Verdict(2.5, 80);
        for (int i = 0; i < 2; i++) {
            assertEquals(costly, ContextTrial.of(one, other, folder, (a, b) -> {
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
        assertEquals(new Verdict(1, 1), ContextTrial.of(one, other, folder, (a, b) -> new Verdict(1, 1)));
        assertTrue(new Verdict(1, 1).isFree());
    }

    /** Of a driver that ends the process, every later start would have been ended as well. */
    @Test
    void aTrialThatEndedItsProcessIsNotTriedAgain() throws IOException {
        ContextTrial.of(one, other, folder, (a, b) -> {
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
            Verdict found = ContextTrial.of(one, other, folder, (a, b) -> {
                throw new AssertionError("tried again");
            });
            assertFalse(found.isFree());
        }
    }

    @Test
    void devicesThatCannotShareAContextHaveOneEach() {
        Verdict found = ContextTrial.of(one, other, folder, (a, b) -> {
            throw new LaneFailure(LaneFailure.Kind.DEVICE, "no common context");
        });
        assertFalse(found.isFree());
        assertEquals("they cannot share one", found.reason());
        assertEquals(found, ContextTrial.of(one, other, folder, (a, b) -> new Verdict(1, 1)));
    }
}
