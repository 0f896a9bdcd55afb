package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.workloads.arrivals.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code simulate} of traces that others published, in each of their forms, on machines written by hand. */
@InTurn(2)
class TraceTest {
    private static final int TASKS = LongTests.orAll(250, 600);

    private static final Path SAMPLES = Path.of("samples");
    private static final String POD =
            "name,cpu_milli,num_gpu,gpu_milli,qos,creation_time,deletion_time,scheduled_time\n";

    @TempDir
    Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Path machine(int cpus, int gpus) throws IOException {
        return machine(folder, cpus, gpus);
    }

    /** Lanes as fast as those of traces. */
    static Path machine(Path folder, int cpus, int gpus) throws IOException {
        String devices = IntStream.range(0, cpus + gpus)
                .mapToObj(i -> i < cpus
                        ? "{\"id\": \"0." + i + "\", \"kind\": \"cpu\"}"
                        : "{\"id\": \"1." + (i - cpus) + "\", \"kind\": \"gpu\", \"memory\": \"gpu" + i + "\"}")
                .collect(Collectors.joining(", "));
        return Files.writeString(
                folder.resolve("machine.json"),
                "{\"format\": \"evener-machine\", \"version\": 1, \"devices\": [" + devices + "]}");
    }

    private static Cli.Result simulate(Path trace, Path machine, String... more) {
        List<Object> words = new ArrayList<>(List.of("simulate", trace, "--machine", machine, "--json", "-"));
        words.addAll(List.of(more));
        return InProcess.run(words.toArray());
    }

    private static double seconds(Map<?, ?> json, String name) {
        return ((Number) Objects.requireNonNull(json.get(name), name)).doubleValue();
    }

    private static Map<String, Map<?, ?>> byJob(Cli.Result result) {
        Map<String, Map<?, ?>> all = new HashMap<>();
        Schemas.check("jobs", result.json());
        ReportSchema.objects(result.json(), "outcomes").forEach(each -> all.put((String) each.get("job"), each));
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "small-cluster.swf, '', 23, 1 job left out: it did not run",
        "cholesky-cpu.swf, 'gpu-times=cholesky-gpu.swf,precedence=cholesky-precedence.txt,unit=ms', 35, ''",
        "pods.csv, '', 19, 1 job left out: without an arrival",
        "tasks.csv, '', 17, jobs with memory",
        "batsim.json, '', 16, phases of communication",
        "batsim-5.json, '', 5, 1 job stopped at its walltime",
        "workflow.json, '', 5, 1 task left out: it did not run",
        "helios.csv, '', 4, 1 job left out: without an arrival",
        "philly.json, '', 3, 1 job with several attempts",
        "batch_task.csv, 'form=alibaba-2018', 8, 8 jobs with memory",
        "readings.csv, 'unit=us,headings=id+arrival_seconds+seconds+processors', 3, 1 job on several processors"
    })
    void samplesOfPublishedFormsAreSimulated(String name, String rules, int jobs, String note) {
        String[] more = rules.isEmpty() ? new String[0] : new String[] {"--map", rules};
        Cli.Result result = simulate(SAMPLES.resolve(name), SAMPLES.resolve("machine.json"), more);
        assertEquals(0, result.code(), result::toString);
        assertEquals(jobs, result.json().get("jobs"), result::toString);
        assertEquals(0, result.json().get("failed"));
        assertTrue(result.err().contains(note), result::err);
        Map<?, ?> makespan = ReportSchema.objects(result.json(), "intervals").get(0);
        assertEquals("makespanSeconds", makespan.get("figure"));
        assertTrue(seconds(makespan, "high") >= seconds(result.json(), "makespanSeconds"), makespan::toString);
        assertTrue(seconds(makespan, "low") <= seconds(result.json(), "makespanSeconds"), makespan::toString);
        assertEquals(
                result.out(),
                simulate(SAMPLES.resolve(name), SAMPLES.resolve("machine.json"), more)
                        .out());
    }

    @Test
    void aTaskGraphTakesWhatItsTimesSay() throws IOException {
        String rest = " -1".repeat(15);
        Path cpu = file("a.cpu.swf", "1 -1 -1 8" + rest + "\n2 -1 -1 40" + rest + "\n3 -1 -1 8" + rest + "\n");
        file("a.gpu.swf", "1 -1 -1 16" + rest + "\n2 -1 -1 10" + rest + "\n3 -1 -1 16" + rest + "\n");
        // 3 waits for 7, which takes no time and waits for 2, which waits for 1
        file("a.txt", "2,1\n3,7\n7,2 1\n9,3\n");
        String rules = "gpu-times=a.gpu.swf,precedence=a.txt,unit=ms";
        Cli.Result both = simulate(cpu, machine(1, 1), "--map", rules, "--policy", "single:1");
        Map<String, Map<?, ?>> jobs = byJob(both);
        assertEquals(0.016, seconds(jobs.get("1"), "endedSeconds"), 1e-6);
        assertEquals(0.026, seconds(jobs.get("2"), "endedSeconds"), 1e-6);
        assertEquals(0.042, seconds(both.json(), "makespanSeconds"), 1e-6);
        assertEquals(
                0.056,
                seconds(simulate(cpu, machine(1, 0), "--map", rules).json(), "makespanSeconds"),
                1e-6,
                "one after another on the CPU");
        file("a.txt", "1,3\n2,1\n3,2\n");
        simulate(cpu, machine(1, 1), "--map", rules).refused(1, "a.cpu.swf: job 1: waits for itself");
        file("a.txt", "1,\n2;1\n");
        simulate(cpu, machine(1, 1), "--map", rules).refused(1, "a.txt: line 2: '2;1' is not a job, a comma");
        file("a.gpu.swf", "1 -1 -1\n");
        simulate(cpu, machine(1, 1), "--map", rules).refused(1, "a.gpu.swf: line 1: has 3 fields");
    }

    /** By job, processor-seconds on CPUs and GPUs (-1 where it does not run), and parts. */
    private static Map<String, List<Double>> works(Trace<Trace.Times> trace) {
        return trace.jobs().stream()
                .collect(Collectors.toMap(
                        Trace.Job::id,
                        job -> List.of(
                                job.work().cpuNanos() < 0 ? -1 : job.work().cpuNanos() / 1e9,
                                job.work().gpuNanos() < 0 ? -1 : job.work().gpuNanos() / 1e9,
                                (double) job.work().parts())));
    }

    /**
     * No profile of version 5 was known, a walltime was passed over, and a parallel job alone took its mean, not its
     * longest part.
     */
    @Test
    void jobsOfBatsimTakeWhatItsProfilesSay() throws IOException {
        Map<String, List<Double>> works = works(Trace.times(SAMPLES.resolve("batsim-5.json"), List.of()));
        assertEquals(List.of(7.5, 7.5, 1.0), works.get("a"), "a delay");
        assertEquals(List.of(4 * 12.0, 4 * 12.0, 4.0), works.get("b"), "20 s, stopped after 12");
        assertEquals(List.of(4 * 40.0, 4 * 40.0, 4.0), works.get("c"), "as long as its longest part");
        assertEquals(List.of(20.0, 20.0, 2.0), works.get("d"), "20 s spread over two");
        assertEquals(List.of(70.0, 70.0, 2.0), works.get("e"), "twice a delay of 7.5 s and 10 s on two");
        assertEquals(
                7.5,
                seconds(
                        simulate(SAMPLES.resolve("batsim-5.json"), machine(16, 0), "--map", "jobs=1")
                                .json(),
                        "makespanSeconds"),
                1e-3);
    }

    @Test
    void tasksOfWorkflowsComeAfterTheirParents() throws IOException {
        Trace<Trace.Times> trace = Trace.times(SAMPLES.resolve("workflow.json"), List.of());
        assertEquals(
                List.of("split_1", "map_1", "map_2", "map_3", "join_1"),
                trace.jobs().stream().map(Trace.Job::id).toList());
        assertEquals(List.of(6.0, 6.0, 2.0), works(trace).get("map_3"), "3 s on two cores");
        assertEquals(List.of(1, 2, 3), trace.jobs().get(4).after(), "through a task that did not run");
        assertEquals(List.of(0), trace.jobs().get(2).after());
        Path older = file(
                "older.json",
                "{\"schemaVersion\": \"1.4\", \"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtimeInSeconds\": 3},"
                        + " {\"name\": \"b\", \"parents\": [\"a\"], \"runtimeInSeconds\": 1, \"cores\": 1}]}}");
        assertEquals(4, seconds(simulate(older, machine(2, 0)).json(), "makespanSeconds"), 1e-3);
    }

    @Test
    void datesAreTimes() throws IOException {
        Trace<Trace.Times> helios = Trace.times(SAMPLES.resolve("helios.csv"), List.of());
        assertEquals(
                List.of(0L, 50L, 55L, 80L),
                helios.jobs().stream().map(job -> job.nanos() / 1_000_000_000).toList());
        assertEquals(List.of(-1.0, 120.0, 4.0), works(helios).get("102"), "30 s on four GPUs");
        assertEquals(List.of(320.0, -1.0, 8.0), works(helios).get("103"), "40 s on eight CPUs");
        Map<String, List<Double>> philly = works(Trace.times(SAMPLES.resolve("philly.json"), List.of()));
        assertEquals(List.of(-1.0, 120.0, 2.0), philly.get("application_1_1"));
        assertEquals(List.of(-1.0, 30.0, 1.0), philly.get("application_1_2"), "both attempts");
        assertEquals(List.of(-1.0, 80.0, 4.0), philly.get("application_1_4"), "on two machines");
        Path zones = file("z.csv", "arrival_seconds,seconds\n2026-03-01T09:00:00.5+01:00,1\n2026-03-01 08:00:03Z,1\n");
        assertEquals(3.5, seconds(simulate(zones, machine(2, 0)).json(), "makespanSeconds"), 1e-3);
    }

    @Test
    void tasksSayInTheirNamesWhatComesBefore() throws IOException {
        Map<String, Map<?, ?>> jobs =
                byJob(simulate(SAMPLES.resolve("batch_task.csv"), machine(2, 0), "--map", "form=alibaba-2018"));
        assertTrue(jobs.keySet().containsAll(List.of("j_1/1", "j_1/4", "j_2/2", "j_3/MergeTask")), jobs::toString);
        double end = Math.max(seconds(jobs.get("j_1/2"), "endedSeconds"), seconds(jobs.get("j_1/3"), "endedSeconds"));
        assertTrue(seconds(jobs.get("j_1/4"), "submittedSeconds") >= end - 1e-6, jobs::toString);
        assertTrue(
                seconds(jobs.get("j_2/2"), "submittedSeconds") >= seconds(jobs.get("j_2/1"), "endedSeconds") - 1e-6,
                jobs::toString);
    }

    @Test
    void prioritiesAndKindsOfProcessorsAreHonoured() throws IOException {
        Path pods = file(
                "pods.csv",
                POD
                        + "long,1000,0,0,BE,0,10,0\nlow,1000,0,0,BE,1,5,1\nhigh,1000,0,0,LS,2,6,2\nshared,500,1,250,BE,0,8,0\n"
                        + "two,4000,2,1000,BE,100,110,100\n");
        Cli.Result result = simulate(pods, machine(1, 2));
        Map<String, Map<?, ?>> jobs = byJob(result);
        assertEquals(14, seconds(jobs.get("high"), "endedSeconds"), 1e-3, "before the one that came before it");
        assertEquals(18, seconds(jobs.get("low"), "endedSeconds"), 1e-3);
        assertEquals(2, seconds(jobs.get("shared"), "endedSeconds"), 1e-3, "a quarter of 8 s");
        assertEquals(110, seconds(jobs.get("two"), "endedSeconds"), 1e-3, "20 s of GPUs on two of them");
        assertTrue(result.err().contains("pods.csv: 1 job with a share of a GPU"), result::err);
        assertTrue(simulate(pods, machine(1, 0)).err().contains("2 jobs left out: it needs a GPU"), result::err);
    }

    @Test
    void columnsMayHaveOtherNamesAndJobsMayFollowOthers() throws IOException {
        Path table = file(
                "jobs.csv",
                "# a comment\nkey,came,took,after,priority\n\nb,1,4,a,\na,0,2,,\nc,0,3,a b,1\n\"d\",nan,1,,\n");
        Cli.Result result = simulate(table, machine(2, 0), "--map", "id=key,arrival=came,seconds=took");
        Map<String, Map<?, ?>> jobs = byJob(result);
        assertEquals(3, jobs.size(), result::toString);
        assertEquals(2, seconds(jobs.get("b"), "submittedSeconds"), 1e-6);
        assertEquals(6, seconds(jobs.get("c"), "submittedSeconds"), 1e-6);
        assertEquals(9, seconds(result.json(), "makespanSeconds"), 1e-3);
        assertTrue(result.err().contains("1 job left out: without an arrival"), result::err);
    }

    @Test
    void jobsOfOneLogAloneRunOnItsKindOfProcessor() throws IOException {
        String rest = " -1".repeat(15);
        Path cpu = file("a.cpu.swf", "1 -1 -1 8" + rest + "\n2 -1 -1 8" + rest + "\n");
        file("a.gpu.swf", "2 -1 -1 8" + rest + "\n3 -1 -1 5" + rest + "\n4 -1 -1 6" + rest + "\n");
        file("a.txt", "1,3\n");
        String rules = "gpu-times=a.gpu.swf,precedence=a.txt";
        Map<String, Map<?, ?>> jobs = byJob(simulate(cpu, machine(1, 1), "--map", rules));
        assertEquals(Set.of("1", "2", "3", "4"), jobs.keySet());
        assertTrue(seconds(jobs.get("1"), "submittedSeconds") >= 5 - 1e-3, "after 3, which runs on the GPU alone");
        Cli.Result none = simulate(cpu, machine(1, 0), "--map", rules);
        assertTrue(none.err().contains("2 jobs left out: it needs a GPU"), none::err);
        assertEquals(
                3,
                simulate(cpu, machine(1, 1), "--map", rules + ",jobs=3").json().get("jobs"));
        assertEquals(
                2,
                simulate(cpu, machine(1, 1), "--map", rules + ",jobs=2").json().get("jobs"));
    }

    @Test
    void timesThatAreCutAreCounted() throws IOException {
        Path log = file("a.swf", "1 0 -1 9000000000 2" + " -1".repeat(13) + "\n2 0 -1 5 2" + " -1".repeat(13) + "\n");
        Cli.Result result = simulate(log, machine(8, 0));
        assertTrue(result.err().contains("a.swf: 1 job of more than 9e9 s"), result::err);
    }

    @Test
    void columnsAreNotMistakenForHeadings() throws IOException {
        Path table = file("jobs.csv", "end,seconds,gpus\n0,3,1\n7,2,1\n");
        simulate(table, machine(0, 1), "--map", "arrival=end,end=missing").refused(1, "there is no column 'missing'");
        Cli.Result result = simulate(table, machine(0, 1), "--map", "arrival=end");
        assertEquals(9, seconds(result.json(), "makespanSeconds"), 1e-3);
        Path milli = file("milli.csv", "arrival_seconds,seconds,gpu_milli\n0,8,500\n");
        result = simulate(milli, machine(0, 1), "--map", "gpus=gpu_milli");
        assertEquals(4, seconds(result.json(), "makespanSeconds"), 1e-3, "half of a GPU");
    }

    @Test
    void prioritiesOfTablesMayBeBelowTheUsual() throws IOException {
        Path table = file("jobs.csv", "id,arrival_seconds,seconds,priority\na,0,5,\nlow,1,3,-1000\nusual,2,4,0.0\n");
        Map<String, Map<?, ?>> jobs = byJob(simulate(table, machine(1, 0)));
        assertEquals(9, seconds(jobs.get("usual"), "endedSeconds"), 1e-3);
        assertEquals(12, seconds(jobs.get("low"), "endedSeconds"), 1e-3);
    }

    @Test
    @Timeout(60) // 3^20 visits would take longer
    void nestedSequencesAreReadOnce() throws IOException {
        String profiles = IntStream.range(1, 20)
                .mapToObj(i -> "\"p" + i + "\": {\"type\": \"composed\", \"seq\": [\"p" + (i - 1) + "\", \"p" + (i - 1)
                        + "\", \"p" + (i - 1) + "\"]}")
                .collect(Collectors.joining(", "));
        Path trace = file(
                "a.json",
                "{\"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"p19\"}], \"profiles\":"
                        + " {\"p0\": {\"type\": \"parallel_homogeneous\", \"cpu\": 1, \"com\": 1}, " + profiles + "}}");
        Cli.Result result = simulate(trace, machine(1, 0), "--map", "flops=1e6");
        assertEquals(Math.pow(3, 19) / 1e6, seconds(result.json(), "makespanSeconds"), 1);
        assertTrue(result.err().contains("a.json: 1 job with phases of communication"), result::err);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.swf|1 2 3|a.swf: line 1: has 3 fields",
                "a.csv|arrival_seconds,seconds\\n1,x|a.csv: line 2: seconds 'x' is no number",
                "a.csv|arrival_seconds,seconds\\n2026-13-01 00:00:00,1|a.csv: line 2: arrival '2026-13-01 00:00:00' is no number",
                "a.json|{'workflow': {'specification': {'tasks': []}}}|workflow.specification.tasks: has 0 elements",
                "a.json|[{'jobid': 'a', 'submitted_time': 'yesterday'}]|'yesterday' is no date",
                "a.json|[{'jobid': 'a', 'submitted_time': '2026-03-01 08:00:00'}]|a.json: holds no job",
                "a.csv|arrival_seconds,seconds\\n1|a.csv: line 2: has 1 cells",
                "a.csv|came,seconds\\n1,2|a.csv: line 1: expected a heading for the arrival",
                "a.csv|arrival_seconds,seconds|a.csv: holds no job",
                "a.csv|arrival_seconds,seconds,priority\\n1,2,0.5|a.csv: line 2: priority '0.5' is no whole number",
                "a.json|{}|a.json: 'profiles' is missing",
                "a.json|{'jobs': [{'id': 1, 'subtime': 0, 'res': 0, 'profile': 'p'}], 'profiles': {}}|a.json: 1:42: jobs[0].res",
                "a.json|{'jobs': [{'id': 1, 'subtime': 0, 'res': 1, 'profile': 'p'}], 'profiles': {}}|there is no profile 'p'",
                "a.json|{'jobs': [{'id': 1, 'subtime': 0, 'res': 1, 'profile': 'p'}], 'profiles':"
                        + " {'p': {'type': 'composed', 'seq': ['p']}}}|is a sequence of itself"
            })
    void whatIsWrongIsRefusedWithItsPlace(String name, String text, String message) throws IOException {
        Path trace = file(name, text.replace("\\n", "\n").replace('\'', name.endsWith(".json") ? '"' : '\''));
        simulate(trace, machine(1, 0)).refused(1, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unti=ms|'unti=ms' is no rule, did you mean",
                "unit=h|unit: 'h' is not one of",
                "form=x|'form' is for tables",
                "flops=1e9|'flops' is for Batsim",
                "arrival=x|'arrival' names a heading",
                "jobs=0|jobs: '0' is no number"
            })
    void rulesThatAreNoneAreRefused(String rule, String message) throws IOException {
        simulate(SAMPLES.resolve("small-cluster.swf"), machine(1, 0), "--map", rule)
                .refused(2, "--map: " + message.split(",", -1)[0]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"swf", "tasks", "pods", "table", "batsim"})
    void manyTasksOnSixtyFourLanesGiveTheSameBytesForASeed(String form) throws IOException {
        StringBuilder text = new StringBuilder();
        StringBuilder other = new StringBuilder();
        StringBuilder precedence = new StringBuilder();
        String rest = " -1".repeat(15);
        for (int i = 1; i <= TASKS; i++) {
            int took = 20 + i * 37 % 400;
            switch (form) {
                case "swf" ->
                    text.append(i + " " + i * 3 + " -1 " + took + " " + (1 + i % 16) + " -1".repeat(13) + "\n");
                case "tasks" -> {
                    text.append(i + " -1 -1 " + took + rest + "\n");
                    other.append(i + " -1 -1 " + (took / (1 + i % 24) + 1) + rest + "\n");
                    precedence.append(i <= 100 ? "" : i + "," + (i - 100) + " " + (i - 99) + "\n");
                }
                case "pods" ->
                    text.append("p" + i + ",4000," + i % 3 + ",1000,LS," + i * 5 + "," + (i * 5 + took) + "," + i * 5
                            + "\n");
                case "table" -> text.append("t" + i + ",2.0," + i * 9 + "," + (i * 9 + took) + ",400.0,50.0\n");
                default ->
                    text.append(i == 1 ? "" : ",")
                            .append("{\"id\": " + i + ", \"subtime\": " + i * 2 + ", \"res\": " + (1 + i % 8)
                                    + ", \"profile\": \"" + (i % 2 == 0 ? "wait" : "even") + "\"}");
            }
        }
        Path trace = switch (form) {
            case "swf" -> file("a.swf", text.toString());
            case "tasks" -> file("a.swf", text.toString());
            case "pods" -> file("a.csv", POD + text);
            case "table" -> file("a.csv", "job_name,inst_num,start_time,end_time,plan_cpu,plan_gpu\n" + text);
            default ->
                file(
                        "a.json",
                        "{\"jobs\": [" + text
                                + "], \"profiles\": {\"wait\": {\"type\": \"delay\", \"delay\": 30}, \"even\":"
                                + " {\"type\": \"parallel_homogeneous\", \"cpu\": 5e10, \"com\": 0}}}");
        };
        file("b.swf", other.toString());
        file("p.txt", precedence.toString());
        String[] more = form.equals("tasks")
                ? new String[] {"--map", "gpu-times=b.swf,precedence=p.txt,unit=ms", "--seed", "5"}
                : new String[] {"--seed", "5"};
        Path machine = machine(48, 16);
        Cli.Result first = simulate(trace, machine, more);
        assertEquals(TASKS, first.json().get("jobs"), first::err);
        assertEquals(0, first.json().get("failed"));
        assertEquals(first.out(), simulate(trace, machine, more).out());
    }
}
