package dev.evener;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policy;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** In the checking mode right kernels are accused of nothing, and compute what they do otherwise. */
@InTurn(4)
class CheckedLanesTest extends ViewConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                .checked();
    }

    @Override
    boolean inPieces() {
        return true;
    }

    private int asked;

    /**
     * Chunks are cut by the mode itself, whatever the policy, and each takes four runs with megabytes of guard zones: in a short run
     * there is one policy in turn, so that each has some of the jobs.
     */
    @Override
    List<Policy> policies() {
        List<Policy> all = everyPolicy();
        return LongTests.ASKED_FOR ? all : List.of(all.get(asked++ % all.size()));
    }

    @Override
    List<Policy> everyCut(int cuts) {
        return super.everyCut(LongTests.orAll(5, cuts)); // of which there are two at a time
    }

    @Override
    int rounds() {
        return LongTests.orAll(1, super.rounds());
    }

    /** Its kernel counts launches, of which there are more the more often the job is cut. */
    @Override
    @Test
    void fixedLaunchesGoWithRows() {
        String message = assertThrows(CompletionException.class, super::fixedLaunchesGoWithRows)
                .getMessage();
        assertTrue(message.contains("job 'rows' failed on device 0."), message);
        assertTrue(message.contains("kernel fixed, argument 3: element 0 is another when the job is cut"), message);
    }
}
