package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.JsonStream;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A workflow of WfCommons (WfFormat 1.5 and 1.6; Coleman et al., "WfCommons: A Framework for Enabling Scientific
 * Workflow Research and Development", 2022): tasks, which come before which, and what each took. Those of 1.4 say all
 * of it in one place. For one file.
 */
final class WorkflowReader {
    private final TraceBuilder<Trace.Times> to;
    private final Map<String, Node> took = new HashMap<>(); // by the task's id
    private List<Node> tasks = List.of();

    WorkflowReader(TraceBuilder<Trace.Times> to) {
        this.to = to;
    }

    /** Reads a file, unless it is no workflow: then it is false. */
    boolean read(Path file) throws IOException {
        try (InputStream in = TraceBuilder.open(file)) {
            boolean is = JsonStream.members(in, TraceBuilder.LARGEST, "workflow", (name, part) -> {
                switch (name) {
                    case "specification" -> tasks = tasks(part.get("tasks"));
                    case "execution" -> tasks(part.get("tasks")).forEach(task -> took.put(id(task), task));
                    case "tasks" -> {
                        tasks = tasks(part);
                        tasks.forEach(task -> took.put(id(task), task));
                    }
                    default -> {}
                }
                return true;
            });
            for (int i = 0; i < tasks.size() && !to.enough(); i++) {
                add(tasks.get(i), i + 1);
            }
            return is;
        } catch (DocumentException e) {
            throw e.where().isEmpty() ? e : e.in(Node.place(TraceBuilder.open(file), e.where()));
        }
    }

    private static List<Node> tasks(Node node) {
        return node.list(1, TraceBuilder.MOST_JOBS);
    }

    private static String id(Node task) {
        return (task.find("id") == null ? task.get("name") : task.get("id")).scalar();
    }

    private void add(Node task, int line) {
        String id = id(task);
        to.after(id, task.find("parents", List.of(), node -> node.list(0, TraceBuilder.MOST_JOBS, Node::scalar)));
        Node execution = took.get(id);
        double seconds = execution == null
                ? 0
                : execution.find("runtimeInSeconds", 0.0, node -> node.number(0, TraceBuilder.MOST_SECONDS));
        if (execution == null || seconds == 0) {
            to.count("task left out: it did not run");
            return;
        }
        String cores = execution.find("coreCount") == null ? "cores" : "coreCount";
        double processors = execution.find(cores, 1.0, node -> node.number(0, 1_000_000));
        double work = seconds * Math.max(1, processors);
        int priority = execution.find("priority", 0, node -> (int) node.whole(-1000, 1000));
        long bytes = execution.find("memoryInBytes", 0L, node -> (long) node.number(0, 1e18));
        Trace.Terms terms = new Trace.Terms(priority, "", -1, bytes);
        to.add(id, line, 0, Trace.Times.of(to, work, work, Math.ceil(processors)), terms);
        to.counted(
                task.find("inputFiles") != null || task.find("outputFiles") != null || task.find("files") != null,
                "task with files, whose transfers are not simulated");
    }
}
