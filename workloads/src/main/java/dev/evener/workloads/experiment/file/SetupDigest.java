package dev.evener.workloads.experiment.file;

import dev.evener.DeviceInfo;
import dev.evener.workloads.experiment.Scenario;
import dev.evener.workloads.experiment.Settings;
import dev.evener.workloads.experiment.Setup;
import dev.evener.workloads.workload.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** What a comparison's result depends on, in 32 hexadecimal digits. Stateless. */
public final class SetupDigest {
    private static final int BYTES = 16;

    private SetupDigest() {}

    /**
     * The digest: the first half of the SHA-256 of workload, parameters, size, data, devices, faults, competitors and how
     * thoroughly they are measured. What things are called in reports is not part of it.
     *
     * @param devices what the setup's devices are on this machine
     * @param more what else it depends on, such as the version of the program
     */
    public static String of(Setup setup, List<DeviceInfo> devices, List<String> more) {
        Request request = setup.request();
        Settings settings = setup.settings();
        Scenario scenario = setup.scenario();
        String all = String.join(
                "\n",
                request.workload().name(),
                request.values().toMap().toString(),
                String.valueOf(request.items()),
                String.valueOf(request.distribution()),
                String.valueOf(request.seed()),
                setup.set().toString(),
                devices.stream().map(DeviceInfo::identity).toList().toString(),
                scenario.faults().toString(),
                scenario.faults().isEmpty() ? "" : scenario.from().text(),
                settings.policies().keySet().toString(),
                settings.rounds() + " " + settings.sweepSteps() + " " + settings.warmUp() + " " + settings.seed() + " "
                        + settings.verify(),
                String.valueOf(setup.chunkDeadline()),
                more.toString());
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
