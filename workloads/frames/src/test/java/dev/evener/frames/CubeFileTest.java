package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.LongTests;
import dev.evener.ManagedBuffer;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Look;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.kernels.tuning.Tuning;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tables of every form that the formats have, and those that are none; and operators as tables, as a plain reader
 * applies them.
 */
class CubeFileTest {
    private static final String EIGHT = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n";
    private static final float[] UNIT = {0, 0, 0, 1, 1, 1};

    @TempDir
    Path folder;

    private Look read(String text) throws IOException {
        return CubeFile.read(Frames.write(folder, "x.cube", text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Test
    void whatTheFormatsHaveIsRead() throws IOException {
        Look plain = read("LUT_3D_SIZE 2\n" + EIGHT);
        assertArrayEquals(UNIT, plain.cubeDomain());
        assertArrayEquals(new float[] {1, 0, 0}, Arrays.copyOfRange(plain.cube(), 3, 6));
        for (String same : List.of(
                "\u00ef\u00bb\u00bfLUT_3D_SIZE 2\n" + EIGHT,
                "LUT_3D_SIZE 2\n" + EIGHT.replace("\n", "\r\n"),
                "LUT_3D_SIZE 2\n" + EIGHT.replace("\n", "\r"),
                "LUT_3D_SIZE 2\n" + EIGHT.strip(),
                "# made by hand\n\nTITLE \"gr\u00fcn # 1\"\n  lut_3d_size\t2 \nDOMAIN_MIN 0 0 0\nDOMAIN_MAX 1.0 1e0 +1.\n#\n\n"
                        + EIGHT.replace(" ", " \t ").replace("1", "10.0E-1").replace("\n", "  \n# and\n"),
                "LUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0 1\n" + EIGHT)) {
            assertEquals(plain, read(same), same);
        }
        Look domain = read("DOMAIN_MAX 2 3 4\nLUT_3D_SIZE 2\nDOMAIN_MIN -1 .5 -2.5e-1\n" + EIGHT);
        assertArrayEquals(new float[] {-1, 0.5f, -0.25f, 2, 3, 4}, domain.cubeDomain());
        Look curves = read("LUT_1D_SIZE 3\nDOMAIN_MAX 2 2 2\n0 0 0\n.25 .5 .75\n1 1 1\n");
        assertArrayEquals(new float[] {0, 0, 0, 0.25f, 0.5f, 0.75f, 1, 1, 1}, curves.curves());
        assertArrayEquals(new float[] {0, 0, 0, 2, 2, 2}, curves.curveDomain());
        assertEquals(0, curves.cube().length);
        Look both =
                read("LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE -1 64\nLUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0.5 1\n1 1 1\n0 0 0\n"
                        + EIGHT);
        assertArrayEquals(new float[] {-1, -1, -1, 64, 64, 64}, both.curveDomain());
        assertArrayEquals(new float[] {0.5f, 0.5f, 0.5f, 1, 1, 1}, both.cubeDomain());
        assertArrayEquals(new float[] {1, 1, 1, 0, 0, 0}, both.curves());
        assertArrayEquals(plain.cube(), both.cube());
        Look behind = read("LUT_1D_SIZE 2\nDOMAIN_MAX 4 4 4\nLUT_3D_SIZE 2\n0 0 0\n1 1 1\n" + EIGHT);
        assertArrayEquals(new float[] {0, 0, 0, 4, 4, 4}, behind.curveDomain());
        assertArrayEquals(UNIT, behind.cubeDomain(), "what comes out of curves");
        String largest = "LUT_3D_SIZE 129\n" + "0.123456789012 0.5 1\n".repeat(129 * 129 * 129);
        assertEquals(3 * 129 * 129 * 129, read(largest).cube().length);
    }

    /** Each says where, what is wrong and what would be right. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|has neither LUT_1D_SIZE nor LUT_3D_SIZE",
                "LUT_3D_SIZE 2;0 0 0|ends at line 2 with 1 entries of 8; it was cut short",
                "LUT_3D_SIZE 2|ends at line 1 with 0 entries of 8",
                "#;LUT_3D_SIZE 2;%s;1 1 1|line 11: there are more entries than 8",
                "LUT_3D_SIZE 1|line 1: LUT_3D_SIZE is a number from 2 to 129; export the table with so many",
                "LUT_3D_SIZE 130|line 1: LUT_3D_SIZE is a number from 2 to 129",
                "LUT_3D_SIZE|line 1: LUT_3D_SIZE is a number",
                "LUT_3D_SIZE 2.0|line 1: LUT_3D_SIZE is a number",
                "LUT_3D_SIZE 99999999999|line 1: LUT_3D_SIZE is a number",
                "LUT_1D_SIZE 65537|line 1: LUT_1D_SIZE is a number from 2 to 65536",
                "LUT_3D_SIZE 2;;LUT_3D_SIZE 2|line 3: LUT_3D_SIZE stands in a line before",
                "0 0 0|line 1: '0 0 0' stands before LUT_1D_SIZE or LUT_3D_SIZE",
                "LUT_2D_SIZE 2|line 1: 'LUT_2D_SIZE' is none of TITLE, LUT_1D_SIZE",
                "LUT_IN_VIDEO_RANGE|take the line out if the table is right without it",
                "LUT_1D_SIZE 2;0 0 0;DOMAIN_MIN 0 0 0|line 3: 'DOMAIN_MIN 0 0 0' stands behind the first entry",
                "LUT_1D_SIZE 2;0 0|line 2: '0 0' must have 3 numbers such as 0.5",
                "LUT_1D_SIZE 2;0 0 0 0|line 2: '0 0 0 0' must have 3 numbers",
                "LUT_1D_SIZE 2;0,5 0,5 0,5|line 2: '0,5 0,5 0,5' must have 3 numbers such as 0.5 or 5e-1, within 1e9; decimals",
                "LUT_1D_SIZE 2;0 NaN 0|'0 NaN 0' must have 3 numbers",
                "LUT_1D_SIZE 2;0 -inf 0|'0 -inf 0' must have 3 numbers",
                "LUT_1D_SIZE 2;0 1f 0|'0 1f 0' must have 3 numbers",
                "LUT_1D_SIZE 2;0 1e30 0|'0 1e30 0' must have 3 numbers",
                "LUT_1D_SIZE 2;0 1-2 0|'0 1-2 0' must have 3 numbers",
                "DOMAIN_MIN 0 0|line 1: 'DOMAIN_MIN 0 0' must have 3 numbers",
                "LUT_1D_SIZE 2;DOMAIN_MIN 0 1 0;0 0 0;1 1 1|cannot be used: a domain from 1.0 to 1.0; it must grow",
                "LUT_1D_SIZE 2;LUT_1D_INPUT_RANGE 1 0;0 0 0;1 1 1|cannot be used: a domain from 1.0 to 0.0",
            })
    void whatIsNoneIsRefused(String text, String why) {
        String lines = String.format(text.replace(";", "\n"), EIGHT.strip());
        FrameException e = assertThrows(FrameException.class, () -> read(lines));
        assertTrue(String.valueOf(e.getMessage()).startsWith(folder.resolve("x.cube") + ": "), e.getMessage());
        assertTrue(String.valueOf(e.getMessage()).contains(why), e.getMessage());
    }

    @Test
    void whatIsNoTextIsRefused() {
        FrameException e = assertThrows(FrameException.class, () -> read("\u0089PNG\r\n\u001a"));
        assertTrue(String.valueOf(e.getMessage()).contains("' stands before LUT_1D_SIZE"), e.getMessage());
        e = assertThrows(FrameException.class, () -> read("0".repeat(1 << 20)));
        assertTrue(String.valueOf(e.getMessage()).contains("line 1: is longer than 1000 bytes"), e.getMessage());
        e = assertThrows(FrameException.class, () -> CubeFile.read(folder));
        assertTrue(String.valueOf(e.getMessage()).contains("cannot be read"), e.getMessage());
    }

    /**
     * What a program that knows nothing of Evener makes of the sample by the table, beside the operator's picture.
     * Where bright colours turn white a cell of the cube is not small, so single values are farther off.
     */
    @Test
    void anOperatorIsItsTable() throws Exception {
        List<Operator> all = Arrays.stream(Operator.values())
                .filter(o -> !o.isLocal() && o.words() == 1)
                .toList();
        List<Operator> some = List.of(Operator.REINHARD, Operator.AGX);
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                ToneMapper mapper = new ToneMapper(evener::allocate)) {
            FrameFile file = FrameFile.open(Frames.sample("courtyard"));
            FloatBuffer floats = Frames.decode(file);
            for (Operator operator : LongTests.orAll(0, 1) == 0 ? some : all) {
                for (int stops = -3; stops <= LongTests.orAll(-3, 4); stops += 3) {
                    ToneMapSettings settings = ToneMapSettings.of(operator).withExposure(stops);
                    settings = settings.needsStatistics() ? settings.withWhite(6) : settings;
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    CubeFile.write(Channels.newChannel(bytes), evener, Tuning.defaults(), settings);
                    Plain table = new Plain(bytes.toString(StandardCharsets.US_ASCII));
                    double[] off = table.off(evener, mapper, file.size(), floats, settings);
                    double mean = Arrays.stream(off).average().orElseThrow();
                    String said = String.format(
                            "%s at %d stops: mean %.3f, 99 %% %.2f, 99.9 %% %.2f, most %.1f",
                            operator,
                            stops,
                            mean,
                            off[off.length * 99 / 100],
                            off[off.length * 999 / 1000],
                            off[off.length - 1]);
                    assertTrue(
                            mean <= 0.5 && off[off.length * 99 / 100] <= 4 && off[off.length * 999 / 1000] <= 7, said);
                }
            }
        }
    }

    /** Curves and a cube, read and applied in the plainest way, in double precision. */
    private static final class Plain {
        private final double[][] curves;
        private final double[][] cube;
        private final int edge;
        private double most;

        Plain(String text) {
            List<double[]> entries = new ArrayList<>();
            int size = 0;
            for (String line : text.split("\n", -1)) {
                String[] words = line.split(" ", -1);
                if (words[0].equals("LUT_1D_SIZE")) {
                    size = Integer.parseInt(words[1]);
                } else if (words[0].equals("LUT_1D_INPUT_RANGE")) {
                    most = Double.parseDouble(words[2]);
                } else if (words.length == 3 && Character.isDigit(line.charAt(0))) {
                    entries.add(Arrays.stream(words)
                            .mapToDouble(Double::parseDouble)
                            .toArray());
                }
            }
            curves = entries.subList(0, size).toArray(new double[0][]);
            cube = entries.subList(size, entries.size()).toArray(new double[0][]);
            edge = (int) Math.round(Math.cbrt(cube.length));
            assertEquals(cube.length, edge * edge * edge);
        }

        /** Trilinear, as of all programs. */
        double[] of(double... light) {
            int[] at = new int[3];
            double[] along = new double[3];
            for (int c = 0; c < 3; c++) {
                double place = Math.min(Math.max(light[c] / most, 0), 1) * (curves.length - 1);
                int low = Math.min((int) place, curves.length - 2);
                double value = curves[low][c] + (place - low) * (curves[low + 1][c] - curves[low][c]);
                place = value * (edge - 1);
                at[c] = Math.min((int) place, edge - 2);
                along[c] = place - at[c];
            }
            double[] sum = new double[3];
            for (int corner = 0; corner < 8; corner++) {
                double weight = 1;
                int entry = 0;
                for (int c = 2; c >= 0; c--) {
                    int up = corner >> c & 1;
                    weight *= up == 1 ? along[c] : 1 - along[c];
                    entry = entry * edge + at[c] + up;
                }
                for (int c = 0; c < 3; c++) {
                    sum[c] += weight * cube[entry][c];
                }
            }
            return sum;
        }

        /** Codes of 8 bits that values of a picture are off by, of every seventh pixel, in their order. */
        double[] off(
                Evener evener, ToneMapper mapper, FrameLayout layout, FloatBuffer floats, ToneMapSettings settings) {
            double[] off = new double[3 * (int) (layout.pixels() / 7)];
            try (ManagedBuffer frame = evener.allocateManaged(ElementType.FLOAT, layout.floats());
                    ManagedBuffer pixels = evener.allocateManaged(ElementType.UINT, 2L * layout.words())) {
                frame.overwrite(0, layout.floats(), view -> view.floats().put(floats.duplicate()));
                evener.submit(mapper.describe(layout, layout, PixelCoding.FLOATS, null, frame, pixels, settings, 2)
                                .build())
                        .join();
                try (ManagedBuffer.Scope scope = pixels.read()) {
                    for (int i = 0; i < off.length; i += 3) {
                        int row = 7 * i / 3 / layout.width();
                        int x = 7 * i / 3 % layout.width();
                        double[] light = new double[3];
                        for (int c = 0; c < 3; c++) {
                            light[c] = floats.get(row * layout.rowFloats() + c * layout.stride() + x);
                        }
                        double[] codes = of(light);
                        int first = scope.ints().get(2 * (row * layout.stride() + x));
                        int second = scope.ints().get(2 * (row * layout.stride() + x) + 1);
                        int[] own = {
                            (first & 0xff) << 8 | (first >> 8 & 0xff),
                            (first >> 16 & 0xff) << 8 | (second & 0xff),
                            (second >> 8 & 0xff) << 8 | (second >> 16 & 0xff)
                        };
                        for (int c = 0; c < 3; c++) {
                            off[i + c] = Math.abs(255 * codes[c] - own[c] / 257.0);
                        }
                    }
                }
            }
            Arrays.sort(off);
            return off;
        }
    }
}
