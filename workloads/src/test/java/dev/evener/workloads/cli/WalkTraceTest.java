package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector.Argument;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import dev.evener.InTurn;
import dev.evener.workloads.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Walks of docs/architecture.md beside the methods that a debugger sees entered while a workload runs on two devices. */
@InTurn(2)
class WalkTraceTest {
    private static final Path PAGE = Path.of("..", "docs", "architecture.md");
    private static final List<String> WALKS =
            List.of("Where a chunk's size is decided", "Where a share is decided", "Where the model learns");
    private static final Pattern STEP = Pattern.compile("→|`((?:[a-z]+\\.)+[A-Z]\\w*)(?:\\.(\\w+))?`");
    private static final List<String> TRACED =
            List.of("dev.evener.internal.run.*", "dev.evener.policy.*", "dev.evener.model.*");

    /**
     * Classes that a warm job on one device enters, nested ones with those around them: 101, give or take two. It may
     * only fall; the aim is 40.
     */
    private static final int CROSSED = 104;

    /** Jobs that are run for that, and those before the first that is looked at. */
    private static final int JOBS = 9;

    private static final int COLD = 5;

    /** A class of the page, and its method; of a class by itself any. */
    private record Step(String type, @Nullable String method) {
        /** A step into an interface enters a class that implements it. */
        boolean isEnteredBy(Entry entry) {
            return (method == null || method.equals(entry.method)) && isA(entry.type);
        }

        private boolean isA(String entered) {
            try {
                ClassLoader loader = WalkTraceTest.class.getClassLoader();
                return Class.forName("dev.evener." + type, false, loader)
                        .isAssignableFrom(Class.forName(entered, false, loader));
            } catch (ClassNotFoundException e) { // one that the JVM made
                return false;
            }
        }
    }

    private record Entry(String type, String method) {}

    @Test
    void eachStepOfAWalkIsEnteredAfterTheOneBefore() throws Exception {
        assumeTrue(Files.exists(Path.of("..", "CONTRIBUTING.md")), "a checkout, with the page");
        String page = Files.readString(PAGE);
        List<List<Step>> all = new ArrayList<>();
        for (String walk : WALKS) {
            int begin = page.indexOf("- **" + walk + "**");
            assertTrue(begin >= 0, walk);
            all.addAll(chains(page.substring(begin, page.indexOf("\n- **", begin))));
        }
        List<Step> steps = all.stream().flatMap(List::stream).toList();
        List<Entry> entered =
                trace(steps, "run", "saxpy", "--size", "256Ki", "--repeat", "5", "--quiet", "--devices", "0.0,0.1");
        List<String> wrong = new ArrayList<>();
        for (List<Step> chain : all) {
            int at = 0;
            for (Step step : chain) {
                while (at < entered.size() && !step.isEnteredBy(entered.get(at))) {
                    at++;
                }
                if (at == entered.size()) {
                    wrong.add(step + " is not entered after the steps before, of " + chain);
                    break;
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(steps.size() >= 12, "walks are found");
    }

    /** What one has to know to follow a job: of several warm ones the one in the middle, as entries are told of late, and plans made anew. */
    @Test
    void aWarmJobCrossesFewClasses() throws Exception {
        List<Set<String>> jobs = new ArrayList<>();
        VirtualMachine machine =
                launch("run", "saxpy", "--size", "64Ki", "--repeat", "" + JOBS, "--quiet", "--devices", "0.0");
        try {
            MethodEntryRequest entries = machine.eventRequestManager().createMethodEntryRequest();
            entries.addClassFilter("dev.evener.*");
            entries.addClassExclusionFilter("dev.evener.workloads.*");
            entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            ClassPrepareRequest request = machine.eventRequestManager().createClassPrepareRequest();
            request.addClassFilter("dev.evener.internal.run.Dispatcher");
            request.enable();
            for (boolean ended = false; !ended; ) {
                EventSet events = machine.eventQueue().remove();
                for (Event event : events) {
                    if (event instanceof ClassPrepareEvent prepared) {
                        prepared.referenceType().methodsByName("submit").stream()
                                .filter(m -> m.argumentTypeNames().size() == 5)
                                .forEach(WalkTraceTest::tellOfEntries);
                    } else if (event instanceof BreakpointEvent) {
                        jobs.add(new TreeSet<>());
                        entries.setEnabled(jobs.size() > COLD); // all the JVM is slow from then on
                    } else if (event instanceof MethodEntryEvent entry) {
                        jobs.get(jobs.size() - 1)
                                .add(entry.method().declaringType().name().replaceFirst("\\$.*", ""));
                    }
                    ended |= event instanceof VMDisconnectEvent;
                }
                events.resume();
            }
        } catch (VMDisconnectedException e) { // while the last events were resumed
            assertTrue(!jobs.isEmpty(), "it ended before it began");
        } finally {
            machine.process().destroy();
        }
        assertTrue(jobs.size() >= JOBS, () -> jobs.size() + " jobs");
        List<Set<String>> warm = new ArrayList<>(jobs.subList(COLD, jobs.size() - 1));
        warm.sort(Comparator.comparingInt(Set::size));
        Set<String> crossed = warm.get(warm.size() / 2);
        assertTrue(crossed.contains("dev.evener.internal.run.ChunkPool"), () -> "a job: " + crossed);
        assertTrue(crossed.size() <= CROSSED, () -> crossed.size() + " classes: " + crossed);
    }

    /** The steps that arrows join; what stands in brackets is beside the way. */
    private static List<List<Step>> chains(String walk) {
        List<List<Step>> chains = new ArrayList<>();
        boolean joined = false;
        for (MatchResult found :
                STEP.matcher(walk.replaceAll("\\([^)]*\\)", "")).results().toList()) {
            if (found.group(1) == null) {
                joined = true;
                continue;
            }
            if (!joined) {
                chains.add(new ArrayList<>());
            }
            chains.get(chains.size() - 1).add(new Step(found.group(1), found.group(2)));
            joined = false;
        }
        chains.removeIf(chain -> chain.size() < 2);
        return chains;
    }

    /** All entries of a run into the methods of these steps, in their order. */
    private static List<Entry> trace(List<Step> steps, String... words) throws Exception {
        VirtualMachine machine = launch(words);
        List<Entry> entered = new ArrayList<>();
        try {
            for (String traced : TRACED) {
                ClassPrepareRequest request = machine.eventRequestManager().createClassPrepareRequest();
                request.addClassFilter(traced);
                request.enable();
            }
            for (boolean ended = false; !ended; ) {
                EventSet events = machine.eventQueue().remove();
                for (Event event : events) {
                    if (event instanceof ClassPrepareEvent prepared) {
                        prepared.referenceType().methods().stream()
                                .filter(m -> steps.stream().anyMatch(step -> step.isEnteredBy(entry(m))))
                                .forEach(WalkTraceTest::tellOfEntries);
                    } else if (event instanceof BreakpointEvent entry) {
                        entered.add(entry(entry.location().method()));
                    }
                    ended |= event instanceof VMDisconnectEvent;
                }
                events.resume();
            }
        } catch (VMDisconnectedException e) { // while the last events were resumed
            assertTrue(!entered.isEmpty(), "it ended before it began");
        } finally {
            machine.process().destroy();
        }
        assertEquals(0, machine.process().waitFor(), () -> "exit code, after " + entered.size() + " methods");
        return entered;
    }

    private static VirtualMachine launch(String... words) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Argument> arguments = connector.defaultArguments();
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        arguments.get("options").setValue("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp \"" + path + "\"");
        arguments.get("main").setValue(Main.class.getName() + " " + String.join(" ", words));
        return connector.launch(arguments);
    }

    private static Entry entry(Method method) {
        return new Entry(method.declaringType().name(), method.name());
    }

    /** A breakpoint: asked for the entries of whole packages, the JVM would take minutes. */
    private static void tellOfEntries(Method method) {
        if (method.isAbstract() || method.isNative()) {
            return;
        }
        BreakpointRequest request =
                method.virtualMachine().eventRequestManager().createBreakpointRequest(method.location());
        request.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        request.enable();
    }
}
