package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.NaiveDeclarations.Memory;
import dev.evener.NaiveDeclarations.Naive;
import dev.evener.NaiveDeclarations.Told;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Declarations of who has not understood a kernel, outside of the checking mode: refused, found in the first run, or listed as found by nobody. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NaiveDeclarationsTest {
    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("0.0,0.1"))
            .policy(Policies.fixed())
            .history(History.inMemory())
            .open();

    @AfterAll
    void close() {
        evener.close();
    }

    /** In a short run those of each kind in turn: a device compiles each kernel anew. */
    static List<Naive> some() {
        List<Naive> some = new ArrayList<>();
        for (int i = 0; i < NaiveDeclarations.ALL.size(); i++) {
            if (LongTests.ASKED_FOR || (i + LongTests.TURN) % 5 == 0) {
                some.add(NaiveDeclarations.ALL.get(i));
            }
        }
        return some;
    }

    @ParameterizedTest
    @MethodSource("some")
    void isToldBeforeAnythingIsTouched(Naive naive) {
        try (Memory memory = new Memory(evener)) {
            JobBuilder declared = naive.job().apply(memory);
            List<byte[]> before = memory.contents();
            String said = "";
            try {
                evener.submit(declared.build()).join();
            } catch (EvenerException | IllegalArgumentException e) {
                said = e.getMessage();
            } catch (CompletionException e) {
                assertEquals(
                        EvenerException.JobRejectedException.class, e.getCause().getClass(), () -> "" + e.getCause());
                said = String.valueOf(e.getCause().getMessage());
            }
            String message = said;
            assertEquals(naive.told() == Told.NOBODY, said.isEmpty(), said);
            assertTrue(naive.told() == Told.NOBODY || said.contains(naive.words()), said);
            assertEquals(naive.told() == Told.FIRST_RUN, said.contains("found in a first run"), said);
            assertTrue(
                    naive.told() != Told.FIRST_RUN
                            || said.matches("(?s).*kernel \\w+, argument \\d.*(unit|element) \\d+.*"),
                    said);
            assertFalse(memory.isTouchedOutside(), message);
            if (naive.told() == Told.REFUSED) {
                assertTrue(memory.hold(before), message);
            }
        }
        assertEquals(2, evener.health().working().size(), "no device is blamed");
    }

    /** What a document says of those that nobody finds. */
    @Test
    void thoseThatNobodyFindsAreListed() throws IOException {
        String doc = Files.readString(Path.of("../../docs/kernels.md")).replaceAll("\\s+", " ");
        List<Naive> found = NaiveDeclarations.ALL.stream()
                .filter(each -> each.told() != Told.NOBODY)
                .toList();
        assertTrue(10 * found.size() >= 9 * NaiveDeclarations.ALL.size(), () -> found.size() + " of them are found");
        for (Naive each : NaiveDeclarations.ALL) {
            assertTrue(found.contains(each) || doc.contains(each.words()), () -> each + ": " + each.words());
        }
    }

    // ---- when kernels are seen ----

    private static Job stride(Memory memory) {
        return memory.units(NaiveDeclarations.N / 4, "stride")
                .updates(memory.ints(), Access.slice())
                .scalar(3)
                .scalar(NaiveDeclarations.N)
                .build();
    }

    /** A mistake that was found is found again, in the same job and in another. */
    @Test
    void whatFailedIsSeenAgain() {
        try (Memory memory = new Memory(evener)) {
            Job wrong = stride(memory);
            List<byte[]> before = memory.contents();
            for (Job each : List.of(wrong, wrong, wrong.on(DeviceSelector.parse("0.1")), stride(memory))) {
                assertThrows(CompletionException.class, evener.submit(each)::join);
            }
            assertTrue(memory.hold(before), "nothing was written");
        }
    }

    @Test
    void isTurnedOff() {
        try (Evener trusting = Evener.builder()
                        .devices(DeviceSelector.parse("0.0,0.1"))
                        .history(History.inMemory())
                        .firstRunChecked(false)
                        .open();
                Memory memory = new Memory(trusting)) {
            trusting.submit(stride(memory)).join();
        }
    }
}
