package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.LongTests;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of each kind that OpenEXR's library wrote, read bit by bit as it reads them; make-exr.cpp beside them made both. */
class ExrKindsTest {
    private static final List<String> KINDS = List.of(
            "pxr24-half",
            "pxr24-float",
            "b44-half",
            "b44a-linear",
            "dwaa-half",
            "dwaa-float",
            "dwab-half",
            "dwaa-tiles",
            "piz-tiles",
            "zip-mipmap",
            "rle-ripmap",
            "b44-light",
            "piz-light",
            "dwab-light",
            "zip-uint",
            "no-tiles-down",
            "zips-windows",
            "parts");

    private static FrameFile open(byte[] bytes) throws FrameException {
        return FrameFile.open(
                Path.of("f.exr"),
                bytes.length,
                offset -> Channels.newChannel(new ByteArrayInputStream(bytes, Math.toIntExact(offset), bytes.length)));
    }

    private static FrameFile open(String name) throws IOException {
        return open(ExrReaderTest.resource(name));
    }

    private static void assertSame(String expected, FrameFile actual) throws IOException {
        FrameFile file = open(expected + "-read");
        assertEquals(file.size(), actual.size());
        FloatBuffer want = Frames.decode(file);
        FloatBuffer got = Frames.decode(actual);
        for (int i = 0; i < want.limit(); i++) {
            int place = i;
            assertEquals(
                    Float.floatToIntBits(want.get(i)),
                    Float.floatToIntBits(got.get(i)),
                    () -> "row " + place / file.size().rowFloats() + ", value "
                            + place % file.size().rowFloats() + ": " + got.get(place) + " for " + want.get(place));
        }
    }

    static List<String> kinds() {
        return KINDS;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void isReadAsTheLibraryReadsIt(String kind) throws IOException {
        assertSame(kind, open(kind));
    }

    /** Chunks in any order, with anything between them: the table says where they are. */
    @ParameterizedTest
    @MethodSource("kinds")
    void chunksMayBeAnywhere(String kind) throws IOException {
        byte[] plain = ExrReaderTest.resource(kind);
        ExrReader reader;
        try (FileWindow in = new FileWindow(
                at -> Channels.newChannel(new ByteArrayInputStream(plain, (int) at, plain.length)),
                plain.length,
                0,
                1 << 16)) {
            in.require(1);
            reader = ExrHeader.parse(Path.of("f.exr"), in, plain.length);
        }
        ByteBuffer old = ByteBuffer.wrap(plain).order(ByteOrder.LITTLE_ENDIAN);
        int begin = reader.headerBytes();
        TreeMap<Integer, Integer> chunks = new TreeMap<>(); // by their places, where in the table these are
        int end = begin;
        for (int at = begin; chunks.isEmpty() || at < chunks.firstKey(); at += Long.BYTES) {
            chunks.put((int) old.getLong(at), at);
            end = at + Long.BYTES;
        }
        Random random = new Random(kind.hashCode());
        List<Integer> order = new ArrayList<>(chunks.keySet());
        Collections.shuffle(order, random);
        ByteBuffer moved =
                ByteBuffer.allocate(2 * plain.length + 40 * order.size()).order(ByteOrder.LITTLE_ENDIAN);
        moved.put(plain, 0, end);
        for (int place : order) {
            byte[] gap = new byte[random.nextInt(40)];
            random.nextBytes(gap);
            moved.put(gap).putLong(chunks.get(place), moved.position());
            Integer next = chunks.higherKey(place);
            moved.put(plain, place, (next == null ? plain.length : next) - place);
        }
        assertSame(kind, open(Arrays.copyOf(moved.array(), moved.position())));
    }

    @ParameterizedTest
    @CsvSource({
        "left, parts, left",
        "left.light, parts-light, left.light",
        "light, parts-light, left.light",
        "right, parts-right, right",
        "depth, parts-depth, depth",
        "Z, parts-depth, Z",
        "depth.Z, parts-depth, depth.Z"
    })
    void aLayerIsNamed(String name, String expected, String shown) throws IOException {
        FrameFile file = open("parts");
        assertEquals("left", file.layer());
        assertEquals(shown, file.layer(name).layer());
        assertSame(expected, file.layer(name));
    }

    @Test
    void aLayerThatIsNotThere() throws IOException {
        FrameException e =
                assertThrows(FrameException.class, () -> open("parts").layer("middle"));
        assertEquals("f.exr: has no layer 'middle'; there are 'depth', 'left', 'left.light', 'right'", e.getMessage());
        FrameFile other = FrameFile.open(Frames.sample("city"));
        assertEquals("", other.layer());
        e = assertThrows(FrameException.class, () -> other.layer("left"));
        assertTrue(String.valueOf(e.getMessage()).endsWith("only OpenEXR files have layers"), e.getMessage());
    }

    /** Of channels alone: what is shown where nothing is named. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "A B G R|''",
                "B G R diffuse.B diffuse.G diffuse.R|''",
                "Z left.B left.G left.R|left",
                "Y left.B left.G left.R|''",
                "a.A a.Z b.blue b.green b.red|b",
                "G R|''",
                "A Z|''",
                "u v|u",
                "flow.u flow.v|flow.u",
                "n.X n.Y n.Z|n",
                "A|''",
                "AO.B AO.G AO.R V.Combined.A V.Combined.B V.Combined.G V.Combined.R|V.Combined",
                "A.Combined.R A.Combined.G Composite.Combined.R Composite.Combined.G|Composite.Combined",
                "albedo.B albedo.G albedo.R beauty.B beauty.G beauty.R|beauty",
                "Albedo.Y BEAUTY.Y|BEAUTY",
                "AO.b AO.g AO.r C.b C.g C.r Ci.r Ci.g N.x N.y N.z|C",
                "AO.b AO.g AO.r Ci.b Ci.g Ci.r|Ci",
                "AO.b AO.g AO.r RGBA.B RGBA.G RGBA.R|RGBA",
                "AO.B AO.G AO.R B G R beauty.B beauty.G beauty.R|''",
                "Ci.A Ci.Z left.B left.G left.R|left",
                "Tło.B Tło.G Tło.R|Tło",
                "\u00e9.B \u00e9.G \u00e9.R|\u00e9"
            })
    void theLayerThatShowsThePicture(String channels, String layer) throws IOException {
        assertEquals(List.of(), shown(channels, layer).warnings());
    }

    /** What nothing says to be the picture is said to be a guess: groups with alpha first. */
    @ParameterizedTest
    @CsvSource({
        "AO.B AO.G AO.R emission.A emission.B emission.G emission.R, emission",
        "a.B a.G a.R b.B b.G b.R, a",
        "a.Y b.B b.G b.R, b",
        "A.Combined.R A.Combined.G B.Combined.R B.Combined.G, A.Combined"
    })
    void aGuessIsSaid(String channels, String layer) throws IOException {
        FrameFile guessed = shown(channels, layer);
        assertEquals(1, guessed.warnings().size());
        assertTrue(guessed.warnings().get(0).startsWith("shows layer '" + layer + "' by a guess; there are '"));
        assertEquals(List.of(), guessed.layer(layer).warnings(), "it was named");
    }

    private static FrameFile shown(String channels, String layer) throws IOException {
        ExrFiles file = ExrFiles.of(3, 2, 0, 2);
        // Of names that are no UTF-8 each byte is a letter.
        boolean utf8 = !channels.startsWith("\u00e9");
        String bytes =
                utf8 ? new String(channels.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1) : channels;
        file.channels = List.of(bytes.split(" ", -1));
        file.types = new ArrayList<>(file.channels.stream().map(c -> 2).toList());
        file.samples = (x, y, channel) -> Float.floatToRawIntBits(channel.charAt(channel.length() - 1));
        FrameFile opened = open(file.bytes());
        assertEquals(layer, opened.layer());
        String first = channels.split(" ", -1)[0];
        assertEquals(
                first.charAt(first.length() - 1),
                Frames.decode(opened.layer(first)).get(0));
        return opened;
    }

    @Test
    void aColourThatIsMissingIsBlack() throws IOException {
        ExrFiles file = ExrFiles.of(2, 1, 0, 2);
        file.channels = List.of("B", "R");
        file.types = List.of(2, 0); // R of unsigned integers
        file.samples = (x, y, channel) -> channel.equals("R") ? -1 : Float.floatToRawIntBits(5);
        Frames.assertFrame(new float[][][] {{{0xffffffffL, 0, 5}, {0xffffffffL, 0, 5}}}, open(file.bytes()));
    }

    @Test
    void samplesThatStandForSeveralPixels() throws IOException {
        ExrFiles file = ExrFiles.of(4, 4, 0, 2);
        file.channels = List.of("Y");
        file.types = List.of(2);
        file.sampling = 2;
        file.samples = (x, y, channel) -> Float.floatToRawIntBits(10 * y + x);
        float[][][] expected = new float[4][4][3];
        for (int i = 0; i < 16; i++) {
            Arrays.fill(expected[i / 4][i % 4], 10 * (i / 4 / 2 * 2) + i % 4 / 2 * 2);
        }
        Frames.assertFrame(expected, open(file.bytes()));
        file.data = new int[] {1, 0, 4, 3};
        FrameException e = assertThrows(FrameException.class, () -> open(file.bytes()));
        assertTrue(String.valueOf(e.getMessage()).contains("one sample for 2 x 2 pixels, which does not fit"));
        file.data = file.display;
        file.channels = List.of("BY", "RY", "Y");
        file.types = List.of(1, 1, 1);
        e = assertThrows(FrameException.class, () -> open(file.bytes()));
        assertTrue(String.valueOf(e.getMessage()).contains("its channel Y has one sample for 2 x 2"), e.getMessage());
    }

    /** Bytes that say nothing of pixels: previews, manifests. */
    @Test
    void longAttributesAreLeftOut() throws IOException {
        ExrFiles file = ExrFiles.of(4, 4, 0, 2);
        file.samples = (x, y, channel) -> Float.floatToRawIntBits(x + y);
        byte[] plain = file.bytes();
        file.more = new byte[3_000_000];
        assertEquals(Frames.decode(open(plain)), Frames.decode(open(file.bytes())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"dwaa-half", "piz-tiles", "zip-mipmap", "parts", "b44-light"})
    void aFileThatWasCutShort(String kind) throws IOException {
        byte[] bytes = ExrReaderTest.resource(kind);
        for (int length = 10; length < bytes.length * 2 / 5; length += Math.max(1, bytes.length / 150)) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThrows(FrameException.class, () -> Frames.decode(open(cut)));
        }
    }

    /** Any mutant gives a frame or a FrameException, in bounded memory. */
    @ParameterizedTest
    @MethodSource("kinds")
    void mutants(String kind) throws IOException {
        byte[] seed = ExrReaderTest.resource(kind);
        int cases = LongTests.orAll(300, 10_000);
        ByteBuffer target = ByteBuffer.allocateDirect(1 << 22);
        Random random = new Random(kind.hashCode());
        int frames = 0;
        for (int i = 0; i < cases; i++) {
            byte[] bytes = FrameFileTest.mutate(seed.clone(), random, 600);
            try {
                FrameFile file = open(bytes);
                if (file.size().bytes() <= target.capacity()) {
                    file.decode(target);
                    frames++;
                }
            } catch (FrameException e) {
                String message = String.valueOf(e.getMessage());
                assertTrue(message.startsWith("f.exr: ") && message.indexOf('\n') < 0, message);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(kind + ", case " + i, e);
            }
        }
        assertTrue(frames > cases / 60, "only " + frames + " mutants of " + cases + " were frames");
    }

    @Test
    void aDamagedChunkIsNamed() throws IOException {
        byte[] bytes = ExrReaderTest.resource("dwab-half");
        ByteBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int size = bytes.length - 5;
        while (numbers.getInt(size) != bytes.length - size - 4) {
            size--;
        }
        for (int number = 0; number < 11; number++) {
            numbers.put(size + 4 + 8 * number + 6, (byte) 1);
            FrameException e = assertThrows(FrameException.class, () -> Frames.decode(open(bytes)));
            assertEquals(
                    "f.exr: chunk 1 of 1, at byte " + (size - 4) + ", is damaged: the sizes it begins with cannot be",
                    e.getMessage());
            numbers.put(size + 4 + 8 * number + 6, (byte) 0);
        }
    }
}
