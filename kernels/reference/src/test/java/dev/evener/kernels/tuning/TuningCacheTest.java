package dev.evener.kernels.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept, what comes back, and what becomes of a file that is none. */
class TuningCacheTest {
    private static final DeviceInfo CPU = device("0.0", "big cores", DeviceKind.CPU);
    private static final DeviceInfo OTHER_CPU = device("1.0", "small cores", DeviceKind.CPU);
    private static final DeviceInfo GPU = device("2.0", "card", DeviceKind.GPU);

    @TempDir
    Path folder;

    private static DeviceInfo device(String id, String name, DeviceKind kind) {
        return device(id, "platform", name, kind);
    }

    private static DeviceInfo device(String id, String platform, String name, DeviceKind kind) {
        return new DeviceInfo(id, platform, name, kind, "1.0", 4, 1 << 30, 1 << 28, 128, 64, 8, 1000, true, name);
    }

    private static TuningCache some() {
        return TuningCache.empty()
                .with(CPU, Parameter.SCAN_CPU_GROUPS, 128, 1.25)
                .with(CPU, Parameter.SORT_CPU_SLICES, 16, 1.5)
                .with(GPU, Parameter.SORT_SLICES, 1024, 1.1);
    }

    @Test
    void whatIsSavedComesBack() throws IOException {
        Path file = folder.resolve("deep").resolve("tuning.json");
        some().save(file);
        assertEquals(some().entries(), TuningCache.load(file).entries());
        assertEquals(3, some().entries().size());
        String text = Files.readString(file);
        assertTrue(text.lines().count() > 10 && text.contains("scan.cpu-groups"), text);
        try (Stream<Path> files = Files.list(file.getParent())) {
            assertEquals(1, files.count());
        }
    }

    @Test
    void noFileIsNothingTuned() {
        Path file = folder.resolve("none.json");
        assertEquals(List.of(), TuningCache.load(file).entries());
        assertFalse(Files.exists(file));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "\u0000\u0001",
                "{\"format\": \"evener-history\", \"version\": 1, \"devices\": []}",
                "{\"format\": \"evener-tuning\", \"version\": 2, \"devices\": []}",
                "{\"format\": \"evener-tuning\", \"version\": \"1\", \"devices\": []}",
                "{\"format\": \"evener-tuning\", \"version\": 1}",
                "{\"format\": \"evener-tuning\", \"version\": 1, \"devices\": [7]}",
                "{\"format\": \"evener-tuning\", \"version\": 1, \"devices\": [{\"device\": \"d\"}]}",
                "{\"format\": \"evener-tuning\", \"version\": 1, \"devices\": [{\"device\": \"d\","
                        + " \"parameters\": {\"sort.slices\": 3}}]}",
            })
    void whatIsNoTuningIsSetAside(String text) throws IOException {
        Path file = folder.resolve("tuning.json");
        Files.writeString(file, text);
        assertEquals(List.of(), TuningCache.load(file).entries());
        assertFalse(Files.exists(file));
        assertEquals(text, Files.readString(folder.resolve("tuning.json.damaged")));
    }

    @Test
    void aHugeFileIsSetAside() throws IOException {
        Path file = folder.resolve("tuning.json");
        Files.write(file, new byte[2 << 20]);
        assertEquals(List.of(), TuningCache.load(file).entries());
        assertFalse(Files.exists(file));
    }

    @Test
    void valuesThatDoNotExistAreLeftOut() throws IOException {
        Path file = folder.resolve("tuning.json");
        some().save(file);
        String text = Files.readString(file);
        Files.writeString(file, text.replace("128", "1000000000").replace("1024", "1024.5"));
        assertEquals(
                List.of(Parameter.SORT_CPU_SLICES),
                TuningCache.load(file).entries().stream()
                        .map(TuningCache.Entry::parameter)
                        .toList());
        Files.writeString(file, text.replace("scan.cpu-groups", "scan.of-another-version"));
        assertEquals(2, TuningCache.load(file).entries().size());
    }

    @Test
    void theDefaultIsNotKept() {
        TuningCache cache = some().with(GPU, Parameter.SORT_SLICES, 512, 1);
        assertEquals(2, cache.entries().size());
        assertThrows(IllegalArgumentException.class, () -> some().with(GPU, Parameter.SORT_SLICES, 513, 1));
    }

    @Test
    void nvidiaGpusHaveAStandardOfTheirOwn() {
        DeviceInfo card = device("3.0", "NVIDIA CUDA", "card", DeviceKind.GPU);
        Tuning standard = Tuning.standard(card.platform());
        assertEquals(1024, standard.value(Parameter.HISTOGRAM_GROUP));
        assertEquals(standard, TuningCache.empty().on(List.of(card)));
        assertEquals(standard, TuningCache.empty().on(List.of(CPU, card)));
        assertEquals(Tuning.defaults(), TuningCache.empty().on(List.of(GPU, card)), "they do not agree");
        int other = Parameter.HISTOGRAM_GROUP.defaultValue();
        TuningCache kept = TuningCache.empty().with(card, Parameter.HISTOGRAM_GROUP, other, 1.1);
        assertEquals(other, kept.on(List.of(card)).value(Parameter.HISTOGRAM_GROUP));
        assertEquals(1, kept.entries().size());
        assertEquals(
                List.of(), kept.with(card, Parameter.HISTOGRAM_GROUP, 1024, 1).entries());
    }

    @Test
    void devicesOfOneClassMustAgree() {
        assertEquals(
                Map.of(Parameter.SCAN_CPU_GROUPS, 128, Parameter.SORT_CPU_SLICES, 16, Parameter.SORT_SLICES, 1024),
                some().on(List.of(CPU, GPU)).changed());
        assertEquals(
                Map.of(Parameter.SORT_SLICES, 1024),
                some().on(List.of(CPU, GPU, OTHER_CPU)).changed());
        TuningCache both = some().with(OTHER_CPU, Parameter.SCAN_CPU_GROUPS, 128, 1.1)
                .with(OTHER_CPU, Parameter.SORT_CPU_SLICES, 32, 1.1);
        assertEquals(
                Map.of(Parameter.SCAN_CPU_GROUPS, 128),
                both.on(List.of(CPU, OTHER_CPU)).changed());
        assertEquals(Tuning.defaults(), both.on(List.of()));
    }

    @ParameterizedTest
    @EnumSource(Parameter.class)
    void everyParameterHasADefaultAndOtherValues(Parameter parameter) {
        List<Integer> choices = parameter.choices();
        assertEquals(parameter.defaultValue(), choices.get(0));
        assertTrue(choices.size() > 1);
        assertEquals(choices.size(), new HashSet<>(choices).size());
        Tuning tuning = Tuning.defaults().with(parameter, choices.get(1));
        assertEquals(choices.get(1), tuning.value(parameter));
        assertEquals(parameter.text() + "=" + choices.get(1), tuning.toString());
        assertEquals(Tuning.defaults(), tuning.with(parameter, choices.get(0)));
        String message = assertThrows(IllegalArgumentException.class, () -> tuning.with(parameter, 3))
                .getMessage();
        assertTrue(message.contains(parameter.text()) && message.contains(choices.toString()), message);
    }

    @Test
    void namesAreDistinct() {
        Set<String> names = new HashSet<>();
        for (Parameter parameter : Parameter.values()) {
            assertTrue(names.add(parameter.text()), parameter.text());
        }
    }
}
