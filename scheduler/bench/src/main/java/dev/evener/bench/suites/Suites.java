package dev.evener.bench.suites;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.History;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Programs of published suites, whose texts are taken as they are from checkouts of their repositories: each is run under every policy
 * on two devices, in memory that they share and in memory of their own, at three sizes, and compared bit by bit with plain launches
 * by OpenCL's own calls; then once in the checking mode. {@code -Ddevices=1.0} does so on that device, in several chunks. Prints a line for each. {@code scheduler/bench/suites/run} starts it.
 */
final class Suites {
    /** Two, or one by itself, such as a GPU: bits of two kinds of devices may differ. */
    private static final String DEVICES = System.getProperty("devices", "0.0,0.1");

    private Suites() {}

    private static List<Program> all() {
        List<Program> all = new ArrayList<>();
        all.addAll(PolyBench.programs());
        all.addAll(Rodinia.programs());
        all.addAll(Nvidia.programs());
        all.addAll(NvidiaSums.programs());
        all.addAll(NvidiaGrids.programs());
        all.addAll(Shoc.programs());
        all.addAll(ShocMore.programs());
        all.addAll(Parboil.programs());
        all.addAll(Chai.programs());
        all.addAll(Darktable.programs());
        all.addAll(Ffmpeg.programs());
        all.addAll(Gegl.programs());
        all.addAll(Clblast.programs());
        return all;
    }

    /**
     * Runs them.
     *
     * @param arguments the folder of the checkouts; names of programs or suites, if not all are wanted
     */
    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        List<String> wanted = Arrays.asList(arguments).subList(1, arguments.length);
        int split = 0;
        int inPart = 0;
        int right = 0;
        int tried = 0;
        List<Integer> calls = new ArrayList<>();
        for (Program program : all()) {
            if (wanted.isEmpty() || wanted.contains(program.name()) || wanted.contains(program.suite())) {
                Outcome outcome = run(program, folder);
                System.out.println(outcome.line());
                tried++;
                split += outcome.kernels > 0 && outcome.split == outcome.kernels ? 1 : 0;
                inPart += outcome.split > 0 && outcome.split < outcome.kernels ? 1 : 0;
                right += outcome.wrong == 0 && outcome.failure.isEmpty() ? 1 : 0;
                calls.addAll(outcome.calls);
            }
        }
        calls.sort(null);
        System.out.printf(
                "%d programs, %d run and are right, %d split as a whole and %d in part; median of builder calls a kernel: %d%n",
                tried, right, split, inPart, calls.isEmpty() ? 0 : calls.get(calls.size() / 2));
    }

    private static final class Outcome {
        private final String name;
        private int kernels;
        private int split;
        private int runs;
        private int wrong;
        private String failure = "";
        private final Set<String> wereSplit = new HashSet<>();
        private final List<Integer> calls = new ArrayList<>();

        Outcome(Program program) {
            name = program.suite() + " " + program.name();
        }

        String line() {
            return String.format(
                    "%-32s kernels %2d, split %2d, calls %s, runs %3d, wrong %d%s",
                    name, kernels, split, calls, runs, wrong, failure.isEmpty() ? "" : ", FAILED: " + failure);
        }
    }

    private static Outcome run(Program program, Path folder) {
        Outcome outcome = new Outcome(program);
        try {
            for (int size = 0; size < 3; size++) {
                Map<String, byte[]> expected = new LinkedHashMap<>();
                // Without a context of Evener's beside, so that nothing else builds meanwhile.
                try (Evener evener = Evener.builder()
                                .devices(DeviceSelector.parse("jvm"))
                                .open();
                        PlainLaunches plain = new PlainLaunches(devices().get(0).id());
                        Run alone = new Run(evener, folder, size, Policies.single(0), plain)) {
                    program.body().run(alone);
                    expected.putAll(alone.contents());
                }
                for (boolean shared : List.of(true, false)) {
                    try (Evener evener = lanes().sharedMemory(shared).open()) {
                        for (Policy policy : policies()) {
                            compare(program, new Run(evener, folder, size, policy, null), expected, outcome);
                        }
                    }
                }
                if (size < 2) {
                    try (Evener evener = lanes().checked().open()) {
                        compare(program, new Run(evener, folder, size, Policies.guided(), null), expected, outcome);
                    }
                }
            }
        } catch (RuntimeException e) {
            outcome.failure = String.valueOf(e.getMessage());
        }
        return outcome;
    }

    private static void compare(Program program, Run run, Map<String, byte[]> expected, Outcome outcome) {
        try (run) {
            program.body().run(run);
            outcome.runs++;
            Map<String, byte[]> found = run.contents();
            for (Map.Entry<String, byte[]> each : expected.entrySet()) {
                if (!Arrays.equals(each.getValue(), found.get(each.getKey()))) {
                    outcome.wrong++;
                    System.out.printf(
                            "  %s: %s differs from byte %d on, size %d, %s%n",
                            outcome.name,
                            each.getKey(),
                            Arrays.mismatch(each.getValue(), found.get(each.getKey())),
                            run.size,
                            run.policy);
                    break;
                }
            }
            outcome.kernels = run.declared.size();
            outcome.wereSplit.addAll(run.split);
            outcome.split = outcome.wereSplit.size();
            outcome.calls.clear();
            run.declared.values().forEach(each -> outcome.calls.add(each.calls()));
        }
    }

    /** On which programs run. */
    static List<DeviceInfo> devices() {
        return Evener.select(DeviceSelector.parse(DEVICES));
    }

    private static EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse(DEVICES)).history(History.inMemory());
    }

    /** Of one device, whose chunks are cut as if there were more. */
    private static List<Policy> policies() {
        return DEVICES.contains(",")
                ? List.of(
                        Policies.fixed(0.37, 0.63),
                        Policies.fixed(0.5, 0.5),
                        Policies.guided(),
                        Policies.stealing(),
                        Policies.history(),
                        Policies.single(0),
                        Policies.single(1))
                : List.of(Policies.guided(), Policies.guided(7), Policies.guided(24), Policies.stealing());
    }
}
