package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** A set of lanes under test, opened once for all tests of a suite; nothing native may be left of it. One small subclass of the last
 * suite for each set. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LaneConformance {
    private Map<NativeLedger.Kind, Long> before = Map.of();
    private long lockedBefore;

    // Another for each set of lanes.
    private int policyTurn = LongTests.TURN + getClass().getName().hashCode();
    private int cutTurn = policyTurn;
    Evener evener;

    /** Opens the lanes under test. */
    abstract EvenerBuilder lanes();

    /** Whether data really moves on these lanes. */
    boolean copies() {
        return false;
    }

    /** Whether chunks are run in several pieces. */
    boolean inPieces() {
        return false;
    }

    @BeforeAll
    void open() {
        before = NativeLedger.live();
        lockedBefore = NativeLedger.pageLocked();
        evener = lanes().history(History.inMemory()).open();
        for (DeviceInfo device : evener.devices()) {
            if (device.kind() != DeviceKind.JVM && copies()) {
                assertEquals(false, device.sharesHostMemory(), device.toString());
            }
        }
    }

    @AfterAll
    void nothingLeaks() throws InterruptedException {
        evener.close();
        assertEquals(before, NativeLedger.live());
        // Page-locked memory goes when the garbage collector finds no view of it.
        for (int i = 0; i < 3000 && NativeLedger.pageLocked() > lockedBefore; i++) {
            System.gc();
            Thread.sleep(20);
        }
        assertTrue(NativeLedger.pageLocked() <= lockedBefore, () -> NativeLedger.pageLocked() + " objects");
    }

    /** Of those to try: a long run has all, another every so many, and at another turn the ones beside them. */
    private static <T> List<T> some(List<T> all, int every, int turn) {
        int first = Math.floorMod(turn, every);
        return LongTests.ASKED_FOR
                ? all
                : IntStream.range(0, all.size())
                        .filter(i -> i % every == first)
                        .mapToObj(all::get)
                        .toList();
    }

    /** Every policy there is, and each lane alone; half of them in a short run, in which a test asks at each of its sizes. */
    List<Policy> policies() {
        return some(everyPolicy(), 2, policyTurn++);
    }

    final List<Policy> everyPolicy() {
        List<Policy> policies = new ArrayList<>(List.of(
                Policies.fixed(), Policies.history(), Policies.guided(), Policies.stealing(), Policies.single()));
        for (int lane = 0; lane < evener.devices().size(); lane++) {
            policies.add(Policies.single(lane));
        }
        return policies;
    }

    /**
     * Splits that give the first lane 0, 1, ... {@code cuts} parts of as many and the others equal shares of the rest; in a short run a
     * third of them.
     */
    List<Policy> everyCut(int cuts) {
        int lanes = evener.devices().size();
        if (lanes == 1) {
            return List.of(Policies.fixed());
        }
        List<Policy> policies = new ArrayList<>();
        for (int cut = 0; cut <= cuts; cut++) {
            double[] split = new double[lanes];
            split[0] = cut / (double) cuts;
            for (int i = 1; i < lanes; i++) {
                split[i] = (1 - split[0]) / (lanes - 1);
            }
            policies.add(Policies.fixed(split));
        }
        return some(policies, 3, cutTurn++);
    }

    static IntBuffer ints(ByteBuffer bytes) {
        return bytes.order(ByteOrder.nativeOrder()).asIntBuffer();
    }
}
