package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jocl.cl_device_id;
import org.jocl.cl_platform_id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Binaries kept on disk: used when they are good, set aside when they are not, and never a reason to fail. */
class ProgramCacheTest {
    private static final String SOURCE = """
            __kernel void number(__global int *out) { out[get_global_id(0)] = NUMBER; }
            """;

    @TempDir
    Path folder;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    /** Builds and runs on two devices, through the cache. */
    private void run(Path cache, int number) {
        run(cache, number, "0.0,0.1");
    }

    private static void run(Path cache, int number, String devices) {
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse(devices))
                        .history(History.inMemory())
                        .policy(Policies.fixed())
                        .programCache(cache)
                        .open();
                HostBuffer out = evener.allocate(ElementType.INT, 1000)) {
            evener.submit(Job.named("number")
                            .source(SOURCE.replace("NUMBER", Integer.toString(number)))
                            .units(1000)
                            .kernel("number")
                            .writes(out, Access.slice())
                            .build())
                    .join();
            for (int i = 0; i < 1000; i++) {
                assertEquals(number, out.ints().get(i));
            }
        }
    }

    private Map<Path, byte[]> files() throws IOException {
        Map<Path, byte[]> files = new HashMap<>();
        try (Stream<Path> list = Files.list(folder)) {
            for (Path file : list.toList()) {
                files.put(file, Files.readAllBytes(file));
            }
        }
        return files;
    }

    private List<Path> programs() throws IOException {
        return files().keySet().stream()
                .filter(f -> f.toString().endsWith(".clbin"))
                .sorted()
                .toList();
    }

    private List<Path> damaged() throws IOException {
        return files().keySet().stream()
                .filter(f -> f.toString().endsWith(".clbin.damaged"))
                .sorted()
                .toList();
    }

    // ---- with real drivers ----

    /** How many files a source takes: devices of one model share theirs, and Rusticl has none. */
    private static int kept(String devices) {
        return (int) Evener.select(DeviceSelector.parse(devices)).stream()
                .filter(device -> !device.platform().equals("rusticl"))
                .map(device -> List.of(device.platform(), device.name(), device.driver()))
                .distinct()
                .count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0,0.1", "0.0", "0.1"})
    void aSecondRunTakesTheBinariesOfTheFirst(String devices) throws IOException {
        run(folder, 1, devices);
        assertEquals(kept(devices), programs().size(), "one file for each model of device");
        swapPrograms(devices);
        run(folder, 1, devices);
        assertEquals(List.of(), damaged());
    }

    /**
     * Puts the binaries of another source under this source's names. Nobody should; it makes a program that was really loaded
     * from its file give itself away.
     */
    private void swapPrograms(String devices) throws IOException {
        Map<Path, byte[]> ones = files();
        run(folder, 2, devices);
        Map<Path, byte[]> all = files();
        assertEquals(2 * ones.size(), all.size());
        List<Path> twos =
                all.keySet().stream().filter(f -> !ones.containsKey(f)).toList();
        // Each device's binary of 2 is as long as its binary of 1 or nearly; tried under each name until one gives
        // itself away.
        for (List<Path> order : permutations(twos)) {
            int i = 0;
            for (Path one : ones.keySet()) {
                Files.write(one, all.get(order.get(i++)));
            }
            try {
                run(folder, 1, devices);
            } catch (AssertionError e) {
                assertEquals("expected: <1> but was: <2>", e.getMessage());
                for (Map.Entry<Path, byte[]> one : ones.entrySet()) {
                    Files.write(one.getKey(), one.getValue());
                }
                for (Path left : damaged()) {
                    Files.delete(left);
                }
                return;
            }
        }
        throw new AssertionError("no binary was ever loaded");
    }

    private static List<List<Path>> permutations(List<Path> paths) {
        if (paths.size() < 2) {
            return List.of(paths);
        }
        List<Path> reversed = new ArrayList<>(paths);
        Collections.reverse(reversed);
        return List.of(paths, reversed);
    }

    @Test
    void goodFilesAreLeftAlone() throws IOException {
        run(folder, 1);
        for (Path file : programs()) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
        }
        run(folder, 1);
        for (Path file : programs()) {
            assertEquals(1_000_000, Files.getLastModifiedTime(file).toMillis());
        }
        run(folder, 2);
        assertEquals(2 * kept("0.0,0.1"), programs().size(), "another source has files of its own");
    }

    /** What can be done to a file. */
    enum Damage {
        EMPTY,
        TRUNCATED,
        HEADER_ONLY,
        FLIPPED_IN_MAGIC,
        FLIPPED_IN_DIGEST,
        FLIPPED_IN_BINARY,
        TEXT,
        NOISE;

        byte[] to(byte[] content) {
            byte[] flipped = content.clone();
            switch (this) {
                case EMPTY -> {
                    return new byte[0];
                }
                case TRUNCATED -> {
                    return Arrays.copyOf(content, content.length / 2);
                }
                case HEADER_ONLY -> {
                    return Arrays.copyOf(content, 40);
                }
                case FLIPPED_IN_MAGIC -> flipped[3] ^= 1;
                case FLIPPED_IN_DIGEST -> flipped[20] ^= 1;
                case FLIPPED_IN_BINARY -> flipped[content.length - 1] ^= 1;
                case TEXT -> {
                    return "cached program".getBytes(StandardCharsets.UTF_8);
                }
                case NOISE -> new Random(1).nextBytes(flipped);
            }
            return flipped;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDamagedFileIsSetAsideAndTheProgramBuiltAgain(Damage damage) throws IOException {
        run(folder, 1);
        Path victim = programs().get(0);
        byte[] good = Files.readAllBytes(victim);
        byte[] bad = damage.to(good);
        Files.write(victim, bad);
        run(folder, 1);
        Path aside = victim.resolveSibling(victim.getFileName() + ".damaged");
        assertArrayEquals(bad, Files.readAllBytes(aside));
        assertEquals(kept("0.0,0.1"), programs().size());
        assertFalse(Arrays.equals(bad, Files.readAllBytes(victim)), "the file is written anew");
        Files.delete(aside);
        run(folder, 1);
        assertEquals(List.of(), damaged());
    }

    @Test
    void aDriverThatEndsTheProcessAtAForeignBinaryIsGivenNone() throws IOException {
        run(folder, 1, "0.0,1.0");
        assertEquals(kept("0.0,1.0"), programs().size(), "none for Rusticl");
        run(folder, 1, "1.0");
        assertEquals(kept("0.0,1.0"), programs().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0,0.1", "0.1"})
    void aBinaryThatTheDriverRefusesIsSetAsideAndTheProgramBuiltAgain(String devices) throws IOException {
        run(folder, 1, devices);
        int count = programs().size();
        for (Path file : programs()) {
            Files.write(file, envelope("this is no program".getBytes(StandardCharsets.UTF_8)));
        }
        run(folder, 1, devices);
        assertEquals(count, damaged().size());
        assertEquals(count, programs().size());
        run(folder, 1, devices);
        assertEquals(count, damaged().size());
    }

    /** A file as the cache itself would write it. */
    private static byte[] envelope(byte[] binary) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(binary);
            byte[] file = Arrays.copyOf("EVENERB1".getBytes(StandardCharsets.US_ASCII), 40 + binary.length);
            System.arraycopy(digest, 0, file, 8, 32);
            System.arraycopy(binary, 0, file, 40, binary.length);
            return file;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aFolderThatCannotBeWrittenIsHarmless() throws IOException {
        Path file = folder.resolve("file");
        Files.writeString(file, "in the way");
        run(file, 1); // no folder at all
        run(file.resolve("sub"), 1); // nor can it be made
        assertEquals("in the way", Files.readString(file));
    }

    @Test
    void aFolderInTheFilesPlaceIsHarmless() throws IOException {
        run(folder, 1);
        Path victim = programs().get(0);
        Files.delete(victim);
        Files.createDirectories(victim.resolve("something"));
        run(folder, 1);
        run(folder, 1);
    }

    // ---- by itself ----

    @Test
    void theKeyTellsSourceOptionsDeviceAndDriverApart() {
        String key = ProgramCache.key("source", "options", device("name", "1.0", "OpenCL 3.0"));
        List<String> others = List.of(
                ProgramCache.key("source2", "options", device("name", "1.0", "OpenCL 3.0")),
                ProgramCache.key("source", "options2", device("name", "1.0", "OpenCL 3.0")),
                ProgramCache.key("sourceoptions", "", device("name", "1.0", "OpenCL 3.0")),
                ProgramCache.key("source", "options", device("name2", "1.0", "OpenCL 3.0")),
                ProgramCache.key("source", "options", device("name", "1.1", "OpenCL 3.0")),
                ProgramCache.key("source", "options", device("name", "1.0", "OpenCL 3.1")));
        assertEquals(key, ProgramCache.key("source", "options", device("name", "1.0", "OpenCL 3.0")));
        assertFalse(others.contains(key));
        assertEquals(others.size(), others.stream().distinct().count());
    }

    private static ClDevice device(String name, String driver, String platformVersion) {
        DeviceInfo made = MadeUpDevices.cpu("0.0", MadeUpDevices.POCL);
        DeviceInfo info = new DeviceInfo(
                made.id(),
                made.platform(),
                name,
                made.kind(),
                driver,
                made.computeUnits(),
                made.memoryBytes(),
                made.maxAllocationBytes(),
                made.alignmentBytes(),
                made.cacheLineBytes(),
                made.workGroupMultiple(),
                made.clockMhz(),
                made.sharesHostMemory(),
                made.physical());
        return new ClDevice(new cl_platform_id(), new cl_device_id(), info, true, platformVersion);
    }

    @Test
    void aProgramUnderAnotherDriversKeyIsNotFound() {
        ProgramCache cache = new ProgramCache(folder, true);
        String here = ProgramCache.key("source", "", device("name", "1.0", "OpenCL 3.0"));
        String updated = ProgramCache.key("source", "", device("name", "1.1", "OpenCL 3.0"));
        cache.put(here, new byte[] {1, 2, 3});
        assertArrayEquals(new byte[] {1, 2, 3}, cache.find(here));
        assertNull(cache.find(updated));
        assertNotEquals(here, updated);
    }

    @Test
    void withoutAFolderNothingIsKept() {
        ProgramCache cache = ProgramCache.none();
        cache.put("key", new byte[] {1});
        assertNull(cache.find("key"));
        cache.discard("key", "reason");
    }

    @Test
    void anEmptyBinaryIsNotKept() throws IOException {
        ProgramCache cache = new ProgramCache(folder, true);
        cache.put("key", new byte[0]);
        assertTrue(files().isEmpty());
    }
}
