package dev.evener;

import static dev.evener.ManagedBufferTest.N;
import static dev.evener.ManagedBufferTest.discrete;
import static dev.evener.ManagedBufferTest.scale;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.evener.ManagedBuffer.Scope;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.event.RunListener.LongWait;
import dev.evener.internal.SubmittedJob;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs whose threads, jobs or scopes would wait for ever, and said nothing: such a wait is refused where it can be seen, and of each
 * other one is told who waits for whom.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LongWaitsTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    private final BlockingQueue<LongWait> told = new LinkedBlockingQueue<>();
    private final Evener evener = discrete("jvm")
            .longWait(SHORT)
            .queueLimit(3)
            .listener(new RunListener() {
                @Override
                public void waitsLong(LongWait wait) {
                    told.add(wait);
                }

                @Override
                public void heard(RunEvent event) {}
            })
            .open();
    private final ManagedBuffer a = evener.allocateManaged(ElementType.INT, N).named("points");
    private final ManagedBuffer b = evener.allocateManaged(ElementType.INT, N).named("centres");

    @AfterEach
    void close() {
        evener.close();
    }

    private LongWait nextTold() throws InterruptedException {
        LongWait wait = told.poll(60, TimeUnit.SECONDS);
        assertNotNull(wait, "nobody was told");
        return wait;
    }

    /** Runs something in a thread of its own. */
    private static <T> FutureTask<T> inThread(String name, Callable<T> what) {
        FutureTask<T> task = new FutureTask<>(what);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static void assertSays(String text, String... parts) {
        for (String each : parts) {
            assertTrue(text.contains(each), () -> "no \"" + each + "\" in: " + text);
        }
    }

    // ---- told of ----

    /** With the thread that waits, the jobs in between, the scope's buffer and place; in toString and in the thread's name as well. */
    @Test
    void aThreadThatWaitsBehindAForgottenScopeIsTold() throws Exception {
        Scope forgotten = inThread("forgetful", () -> a.update()).get();
        JobFuture first = evener.submit(scale(a, b));
        JobFuture second = evener.submit(scale(b, evener.allocateManaged(ElementType.INT, N)));
        Thread[] waiting = new Thread[1];
        FutureTask<Report> waits = inThread("patient", () -> {
            waiting[0] = Thread.currentThread();
            return second.join();
        });
        String whom =
                "job 'scale', which waits for job 'scale', which waits for the update() scope of the buffer 'points'"
                        + " of " + N + " int that was asked for at ";
        LongWait wait = nextTold();
        while (!wait.who().startsWith("thread")) { // the job may be told of before
            wait = nextTold();
        }
        assertEquals("thread 'patient'", wait.who());
        assertSays(wait.waitsFor(), whom, "LongWaitsTest.java:", ", which is open");
        assertTrue(wait.waited().compareTo(SHORT) >= 0);
        assertEquals("future of " + wait.waitsFor(), second.toString());
        assertSays(forgotten.toString(), "the update() scope of the buffer 'points'", "which is open");
        assertSays(
                a.toString(), "buffer 'points' of " + N + " int; the update() scope", "; job 'scale', which waits for");
        while (!waiting[0].getName().contains("waits for")) {
            Thread.onSpinWait();
        }
        assertEquals("patient, which waits for " + wait.waitsFor(), waiting[0].getName());
        forgotten.close();
        waits.get();
        first.join();
        assertEquals("future of job 'scale', done", first.toString());
        assertFalse(waiting[0].getName().contains("waits"), waiting[0].getName());
    }

    /** Where it stands is on its thread's stack, and it cannot be forgotten. */
    @Test
    void aCallbackIsToldOfByItsClass() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch open = new CountDownLatch(1);
        FutureTask<Integer> reads = inThread(
                "reads",
                () -> a.<Integer, InterruptedException>read(view -> {
                    reading.countDown();
                    open.await();
                    return view.ints().get(0);
                }));
        reading.await();
        JobFuture job = evener.submit(scale(b, a));
        CompletableFuture<Void> later = a.updateAsync(0, 10, new Puts());
        String whom =
                "the read() scope of the buffer 'points' of " + N + " int for a callback of dev.evener.LongWaitsTest";
        LongWait wait = nextTold();
        assertEquals("job 'scale'", wait.who());
        assertEquals(whom + ", which is open", wait.waitsFor());
        assertSays(a.toString(), whom, "for a callback of dev.evener.LongWaitsTest$Puts, which waits for job 'scale'");
        open.countDown();
        assertEquals(0, reads.get());
        job.join();
        later.get();
        assertEquals(7, a.<Integer, RuntimeException>read(view -> view.ints().get(0)));
    }

    /** A callback that is a class of its own. */
    private static final class Puts implements ManagedBuffer.Writer<RuntimeException> {
        @Override
        public void write(Scope view) {
            view.ints().put(0, 7);
        }
    }

    /** Looking for where a scope was asked for takes 1.2 KB and several microseconds: a stream of frames has some for each. */
    @Test
    void noPlaceIsLookedForOfACallback() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int times = 1000;
        long before = 0;
        for (int i = -times; i < times; i++) {
            before = i == 0
                    ? threads.getThreadAllocatedBytes(Thread.currentThread().getId())
                    : before;
            a.<Integer, RuntimeException>read(0, 10, view -> view.ints().get(0));
        }
        long bytes = (threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / times;
        assertTrue(bytes < 2500, bytes + " bytes for a scope");
    }

    @Test
    void aJobIsToldOfForWhichNoThreadWaits() throws Exception {
        List<Scope> forgotten = new ArrayList<>();
        forgotten.add(a.update());
        JobFuture job = evener.submit(scale(a, b));
        CompletableFuture<Void> chained = job.thenAccept(report -> {});
        LongWait wait = nextTold();
        assertEquals("job 'scale'", wait.who());
        assertSays(
                wait.waitsFor(),
                "the update() scope of the buffer 'points' of " + N
                        + " int that was asked for at dev.evener.LongWaitsTest.",
                "(LongWaitsTest.java:");
        assertSays(chained.toString(), "a future derived from job 'scale', which waits for ", "'points'");
        forgotten.get(0).close();
        chained.get();
        assertTrue(told.stream().noneMatch(each -> each.who().equals("job 'scale'")), () -> "told once: " + told);
    }

    @Test
    void aScopeIsToldOfThatIsAskedForBehindOneThatNobodyCloses() throws Exception {
        CompletableFuture<Scope> first = a.readAsync(0, 10); // nobody closes it
        CompletableFuture<Scope> second = a.updateAsync();
        LongWait wait = nextTold();
        assertSays(wait.who(), "the update() scope of the buffer 'points'", "LongWaitsTest.java");
        assertSays(wait.waitsFor(), "the read() scope of the range of 10 elements from 0 on of the buffer 'points'");
        first.join().close();
        second.get().close();
    }

    @Test
    void whatComesAfterAFutureThatNobodyCompletesIsToldOf() throws Exception {
        CompletableFuture<String> never = new CompletableFuture<>();
        JobFuture job = evener.submitAfter(scale(a, b), never);
        LongWait wait = nextTold();
        assertEquals("job 'scale'", wait.who());
        assertEquals("a future of the application's, which is not completed", wait.waitsFor());
        JobFuture behind = evener.submit(scale(b, a)); // which is to complete it, perhaps
        CompletableFuture<Boolean> completes = behind.thenApply(report -> never.complete("at last"));
        assertSays(behind.toString(), "waits for job 'scale', which waits for a future of the application's");
        never.complete("by somebody else");
        completes.get();
        job.join();
    }

    @Test
    void aThreadThatWaitsForRoomInTheQueueIsTold() throws Exception {
        List<Scope> forgotten = new ArrayList<>();
        forgotten.add(a.update());
        for (int i = 0; i < 3; i++) {
            JobFuture ignored = evener.submit(scale(a, b));
        }
        FutureTask<Report> submits = inThread(
                "submits",
                () -> evener.submit(scale(b, a), Duration.ofSeconds(Long.MAX_VALUE))
                        .join());
        LongWait wait = nextTold();
        while (!wait.who().startsWith("thread")) {
            wait = nextTold();
        }
        assertSays(
                wait.waitsFor(),
                "room for job 'scale' in the queue (queueLimit), which waits for job 'scale', which waits for the update()"
                        + " scope of the buffer 'points'");
        forgotten.get(0).close();
        submits.get();
    }

    @Test
    void aJobThatMissesItsDeadlineSaysForWhatItWaited() throws Exception {
        Scope open = a.update();
        Job job = Job.named("late")
                .units(N)
                .kernel("k")
                .reads(a, Access.slice())
                .jvm(c -> {})
                .deadline(Duration.ofMillis(20))
                .build();
        ExecutionException late =
                assertThrows(ExecutionException.class, () -> evener.submit(job).get(60, TimeUnit.SECONDS));
        assertSays(
                late.getCause().getMessage(),
                "deadline of 20 ms; it waits for the update() scope of the buffer 'points' of " + N
                        + " int that was asked for at");
        open.close();
    }

    // ---- refused ----

    private void assertRefused(Executable wait, String... parts) {
        IllegalStateException refused = assertThrows(IllegalStateException.class, wait);
        assertSays(refused.getMessage(), "this thread would wait for itself");
        assertSays(refused.getMessage(), parts);
    }

    @Test
    void aThreadDoesNotWaitForItsOwnScope() {
        try (Scope write = a.update(10, 10)) {
            write.ints().put(0, 3);
            a.read(20, 5).close(); // which has none of its elements
            for (Executable each : List.<Executable>of(a::read, a::update, a::overwrite, () -> a.read(19, 5))) {
                assertRefused(
                        each,
                        "which waits for the update() scope of the range of 10 elements from 10 on of the buffer 'points'",
                        "LongWaitsTest.java");
            }
            assertRefused(() -> a.read(20, 5), "which waits for the update() scope of the range"); // behind the others
            assertRefused(() -> a.read(view -> view.ints().get(0)), "buffer 'points'");
        }
        assertEquals(3, a.<Integer, RuntimeException>read(view -> view.ints().get(10)), "the turns were given up");
        Scope one = b.read();
        Scope other = b.read();
        assertRefused(
                b::update, "the update() scope of the buffer 'centres'", "the read() scope of the buffer 'centres'");
        one.close();
        assertRefused(b::update, "the read() scope of the buffer 'centres'");
        other.close();
        b.update().close();
    }

    @Test
    void aThreadDoesNotWaitForAJobThatWaitsForItsScope() throws Exception {
        Scope open = a.update();
        JobFuture job = evener.submit(scale(a, b));
        JobFuture behind = evener.submit(scale(b, a));
        CompletableFuture<Report> derived = behind.thenApply(report -> report);
        for (Executable each :
                List.<Executable>of(job::join, job::get, behind::join, derived::join, derived::get, b::read)) {
            assertRefused(each, "job 'scale'", "which waits for the update() scope of the buffer 'points'");
        }
        assertThrows(TimeoutException.class, () -> job.get(1, TimeUnit.MILLISECONDS), "which ends by itself");
        CompletableFuture<Report> timed = evener.submit(scale(b, a)).orTimeout(1, TimeUnit.MILLISECONDS);
        assertThrows(CompletionException.class, timed::join, "so does this");
        open.close();
        job.join();
        behind.join();
    }

    /** Each of two threads has what the other wants: the second that asks is refused. */
    @RepeatedTest(20)
    void threadsDoNotWaitForEachOther() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        List<FutureTask<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            ManagedBuffer own = i == 0 ? a : b;
            ManagedBuffer other = i == 0 ? b : a;
            threads.add(inThread("thread " + i, () -> {
                Scope first = own.update();
                both.countDown();
                both.await();
                try {
                    other.update().close();
                    return false;
                } catch (IllegalStateException e) {
                    assertSays(e.getMessage(), "which waits for thread 'thread ", "which it has open itself");
                    return true;
                } finally {
                    first.close();
                }
            }));
        }
        assertTrue(threads.get(0).get() ^ threads.get(1).get(), "one of them goes on");
        evener.submit(scale(a, b)).get(60, TimeUnit.SECONDS);
    }

    /** A scope that was handed on counts as open in the thread that uses it. */
    @Test
    void aThreadMayWaitForAScopeThatItHandedOn() throws Exception {
        Scope scope = a.update();
        JobFuture job = evener.submit(scale(a, b));
        CountDownLatch used = new CountDownLatch(1);
        FutureTask<Boolean> other = inThread("other", () -> {
            scope.ints().put(0, 1);
            used.countDown();
            while (!((SubmittedJob) job).isAwaited()) {
                Thread.onSpinWait();
            }
            scope.close();
            return true;
        });
        used.await();
        job.join();
        assertTrue(other.get());
    }

    /** The second job waits for the first, whose place is before, and that for the future that the second is to complete. */
    @Test
    void aFutureIsRefusedThatAJobIsToCompleteWhichWaitsForIt() throws Exception {
        CountDownLatch submitted = new CountDownLatch(1);
        List<JobFuture> seconds = new ArrayList<>();
        CompletableFuture<Report> composed = evener.submit(scale(a, b)).thenComposeAsync(report -> {
            try {
                submitted.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            seconds.add(evener.submit(scale(b, a)));
            return seconds.get(0);
        });
        JobFuture first = evener.submitAfter(scale(a, b), composed.thenApply(report -> report));
        submitted.countDown();
        CompletionException refused = assertThrows(CompletionException.class, composed::join);
        assertInstanceOf(IllegalStateException.class, refused.getCause());
        assertSays(
                refused.getCause().getMessage(),
                "this future was to be completed by job 'scale', which waits for job 'scale', which waits for a future"
                        + " derived from job 'scale'");
        CompletionException failed = assertThrows(CompletionException.class, first::join);
        assertSays(failed.getCause().getMessage(), "was not run, as what it was to come after failed");
        assertThrows(CompletionException.class, seconds.get(0)::join, "of which the content is lost");
    }

    // ---- closed by the collector ----

    /** A program that forgets scopes in both ways, and its log. */
    @Test
    void aScopeThatIsCollectedIsClosedWithAWarningThatSaysWhereItWasAskedFor(@TempDir Path folder) throws Exception {
        ProcessBuilder builder = ChildJava.of(Forgets.class);
        builder.command().addAll(1, List.of("-Xmx256m", PrintingLogs.OPTION));
        Path said = folder.resolve("said");
        Process program =
                builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        assertTrue(program.waitFor(100, TimeUnit.SECONDS));
        String all = Files.readString(said);
        assertTrue(all.contains("done\n"), all);
        List<String> closed = all.lines()
                .filter(line -> line.contains("was not closed, and nothing"))
                .toList();
        assertEquals(2, closed.size(), all);
        assertSays(
                closed.get(0),
                "WARN the update() scope of the buffer 'points' of 4 int that was asked for at",
                "LongWaitsTest$Forgets.forget(LongWaitsTest.java");
        assertSays(closed.get(1), "WARN the read() scope", "LongWaitsTest$Forgets.cancelDerived(LongWaitsTest.java");
        List<String> waits = all.lines()
                .filter(line -> line.contains(" waited for more than ")
                        && line.contains("Forgets.main(")
                        && line.contains("Forgets.forget("))
                .toList(); // the first scope may wait, too, where the process is slow
        assertEquals(1, waits.size(), all);
        assertSays(
                waits.get(0),
                "WARN the update() scope of the buffer 'points' of 4 int that was asked for at ",
                " has waited for more than 0.");
    }

    /** Run by the test above, in a process of its own. */
    static final class Forgets {
        private Forgets() {}

        public static void main(String[] ignored) throws Exception {
            CountDownLatch told = new CountDownLatch(1);
            try (Evener evener = discrete("jvm")
                    .longWait(SHORT)
                    .listener(new RunListener() {
                        @Override
                        public void waitsLong(LongWait wait) {
                            if (wait.who()
                                    .contains("Forgets.main(")) { // not the first one's, in a process that is slow
                                told.countDown();
                            }
                        }

                        @Override
                        public void heard(RunEvent event) {}
                    })
                    .open()) {
                ManagedBuffer points =
                        evener.allocateManaged(ElementType.INT, 4).named("points");
                Scope[] forgotten = {forget(points)}; // not before somebody has waited for it
                CompletableFuture<Scope> next = points.updateAsync();
                told.await();
                forgotten[0] = null;
                collectUntilDone(next);
                next.get().close();
                cancelDerived(points);
                next = points.updateAsync();
                collectUntilDone(next);
                next.get().close();
            }
            System.out.println("done");
        }

        private static Scope forget(ManagedBuffer points) {
            Scope scope = points.update();
            scope.ints().put(0, 1);
            return scope;
        }

        /** The way that documents showed: what is cancelled does not run. */
        private static void cancelDerived(ManagedBuffer points) throws Exception {
            CountDownLatch asked = new CountDownLatch(1);
            CompletableFuture<Void> before = points.updateAsync(view -> asked.await());
            CompletableFuture<Integer> derived = points.readAsync().thenApply(scope -> {
                try (scope) {
                    return scope.ints().get(0);
                }
            });
            derived.cancel(false);
            asked.countDown();
            before.get();
        }

        private static void collectUntilDone(CompletableFuture<?> future) throws Exception {
            while (!future.isDone()) { // the test's time limit ends what never comes
                System.gc();
                Thread.sleep(10);
            }
        }
    }
}
