package dev.evener.workloads.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.EvenerBuilder;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What contenders are measured on: one workload, at one size, on one set of devices.
 *
 * @param set the devices as they are asked for
 * @param alone whether each of them is a case of its own
 * @param scenario what happens to them
 * @param request what they run
 * @param timing the time that counts
 * @param lineup who competes
 * @param effort how thoroughly they are measured
 */
public record Case(
        DeviceSelector set,
        boolean alone,
        Scenario scenario,
        Request request,
        Timing timing,
        Lineup lineup,
        Effort effort) {
    private static final int DIGEST_BYTES = 16;

    /** The time that counts. */
    public enum Timing {
        /** From the devices being free to the complete result. */
        WALL,
        /** In kernels, by the device's own events. */
        KERNELS
    }

    /** Has devices be asked for the times of short chunks too, where these count: a listener hears of exact ones. */
    public EvenerBuilder timed(EvenerBuilder builder) {
        return timing == Timing.KERNELS ? builder.listener(event -> {}) : builder;
    }

    /**
     * What happens to the devices while they are measured.
     *
     * @param name what it is called in reports; empty where there is but one
     * @param faults what is injected, each as docs/embedding.md describes it; none for healthy devices
     * @param from when that may begin
     */
    public record Scenario(String name, List<String> faults, From from) {
        static final Scenario HEALTHY = new Scenario("", List.of(), From.START);

        /** When faults may begin. */
        public enum From {
            /** As soon as the devices are open. */
            START,
            /** When policies have learnt, and the best static split is chosen: mid-run. */
            MEASUREMENT
        }
    }

    /**
     * A way to do the same.
     *
     * @param name unique among them
     * @param request what is run for it
     */
    public record Style(String name, Request request) {}

    /**
     * Who competes, beside each device alone and the best static split.
     *
     * @param policies by their names in records; {@code single} is passed over, as every device alone is measured anyway
     * @param styles ways to do the same; where there are some and no policies, devices are not measured alone
     * @param tunings as {@link Tuner#tuned} has them
     * @param baselines as {@link Baselines} has them
     */
    public record Lineup(List<String> policies, List<Style> styles, List<String> tunings, List<String> baselines) {}

    /**
     * How thoroughly contenders are measured.
     *
     * @param rounds how often each; 0 to let the time a job takes decide
     * @param sweepSteps static splits that the sweep of two devices begins with, at least 2; 0 for no sweep
     * @param warmUp the least time all contenders run before anything counts
     * @param verify whether to check what each contender computes
     * @param chunkDeadline after how long in a chunk a device counts as hung; null for no limit
     */
    public record Effort(
            int rounds,
            int sweepSteps,
            Duration warmUp,
            boolean verify,
            @Nullable Duration chunkDeadline) {}

    /** The same on other devices, of which each may be a case of its own, and to which something else happens. */
    public Case on(DeviceSelector devices, boolean each, Scenario what) {
        return new Case(devices, each, what, request, timing, lineup, effort);
    }

    /** What is measured, in a few words. */
    public String title() {
        return request.workload().amount(request.items()) + details() + " on " + set;
    }

    /** What was not left as it is by default, each after a comma; the scenario last. */
    String details() {
        Distribution distribution = request.distribution();
        String spread = distribution == null || distribution == Distribution.UNIFORM ? "" : distribution.text();
        return Stream.of(spread, request.values().changed(), scenario.name())
                .filter(each -> !each.isEmpty())
                .map(each -> ", " + each)
                .collect(Collectors.joining());
    }

    /** The members of a result in JSON that say what was measured; docs/bench.md describes them. */
    Map<String, Object> toMap() {
        Distribution distribution = request.distribution();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("workload", request.workload().name());
        map.put("item", request.workload().item());
        map.put("unit", request.workload().about().unit());
        map.put("parameters", request.values().toMap());
        map.put("itemsAsked", request.items());
        map.put("distribution", distribution == null ? null : distribution.text());
        map.put("seed", request.seed());
        map.put("selector", set.toString());
        map.put("scenario", scenario.name().isEmpty() ? null : scenario.name());
        map.put("faults", scenario.faults());
        map.put("faultsFrom", scenario.faults().isEmpty() ? null : Node.name(scenario.from()));
        map.put("timing", Node.name(timing));
        map.put("sweepSteps", effort.sweepSteps());
        map.put("warmUpSeconds", effort.warmUp().toNanos() / 1e9);
        return map;
    }

    /**
     * What a result depends on, in 32 hexadecimal digits: all but what things are called in reports.
     *
     * @param devices what the case's devices are on this machine
     * @param more what else it depends on, such as the version of the program
     */
    public String digest(List<DeviceInfo> devices, List<String> more) {
        Map<String, Object> map = toMap();
        map.remove("scenario");
        map.put("identities", devices.stream().map(DeviceInfo::identity).toList());
        map.put("policies", lineup.policies());
        List<String> styles = new ArrayList<>();
        for (Style style : lineup.styles()) {
            Request own = style.request();
            styles.add(style.name() + " " + own.workload().name() + " "
                    + own.values().toMap());
        }
        map.put("styles", styles);
        map.put("tunings", lineup.tunings());
        map.put("baselines", lineup.baselines());
        map.put("rounds", effort.rounds());
        map.put("verify", effort.verify());
        map.put("chunkDeadline", String.valueOf(effort.chunkDeadline()));
        map.put("more", more);
        return digest(map);
    }

    /** Of what JSON can say, in 32 hexadecimal digits. */
    static String digest(Map<String, Object> map) {
        try {
            byte[] text = JSON.std.asString(map).getBytes(StandardCharsets.UTF_8);
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
            return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException("plain values, and a digest that every Java has", e);
        }
    }
}
