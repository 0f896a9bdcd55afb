package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.awt.color.ColorSpace;
import java.awt.color.ICC_ColorSpace;
import java.awt.color.ICC_Profile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The profile in JPEG files, as another's colour management takes it. */
class SrgbProfileTest {
    private static final int HEADER = 128;
    private static final int CURVE = 1024;
    private static final String DESCRIPTION = "sRGB IEC61966-2.1";
    private static final double[] D50 = {0.9642, 1, 0.8249};
    private static final double[][] PRIMARIES = {
        {0.43607, 0.22249, 0.01392}, {0.38515, 0.71687, 0.09708}, {0.14307, 0.06061, 0.7141}
    };

    /** The primaries as seen by D50, and one table for the three curves; {@link #made} writes the resource. */
    @Test
    void itIsMadeOfTheNumbersOfTheStandard() {
        assertArrayEquals(made(), SrgbProfile.bytes());
    }

    @Test
    void itIsTheColourSpaceThatPicturesAreIn() {
        ICC_Profile profile = ICC_Profile.getInstance(SrgbProfile.bytes());
        assertEquals(ColorSpace.TYPE_RGB, profile.getColorSpaceType());
        assertEquals(ICC_Profile.CLASS_DISPLAY, profile.getProfileClass());
        ICC_ColorSpace space = new ICC_ColorSpace(profile);
        ColorSpace xyz = ColorSpace.getInstance(ColorSpace.CS_sRGB);
        for (int i = 0; i < 125; i++) {
            int blue = i / 25;
            int green = i / 5 % 5;
            float[] colour = {i % 5 / 4f, green / 4f, blue / 4f};
            assertArrayEquals(colour, space.toRGB(colour), 0.006f);
            assertArrayEquals(xyz.toCIEXYZ(colour), space.toCIEXYZ(colour), 0.003f);
        }
    }

    private static byte[] made() {
        byte[][] tags = {
            description(),
            text("No copyright, use freely"),
            xyz(D50),
            xyz(PRIMARIES[0]),
            xyz(PRIMARIES[1]),
            xyz(PRIMARIES[2]),
            curve()
        };
        String[] names = {"desc", "cprt", "wtpt", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"};
        int at = HEADER + 4 + 12 * names.length;
        ByteBuffer table = ByteBuffer.allocate(at - HEADER).putInt(names.length);
        int[] places = new int[tags.length];
        for (int i = 0; i < tags.length; i++) {
            places[i] = at;
            at += tags[i].length;
        }
        for (int i = 0; i < names.length; i++) { // the three curves are one
            int tag = Math.min(i, tags.length - 1);
            table.put(ascii(names[i])).putInt(places[tag]).putInt(tags[tag].length);
        }
        ByteBuffer all = ByteBuffer.allocate(at).put(header(at)).put(table.flip());
        for (byte[] tag : tags) {
            all.put(tag);
        }
        return all.array();
    }

    private static byte[] header(int size) {
        ByteBuffer header = ByteBuffer.allocate(HEADER).putInt(size).putInt(0).putInt(0x02400000);
        header.put(ascii("mntrRGB XYZ "))
                .putShort((short) 2026)
                .putShort((short) 1)
                .putShort((short) 1);
        header.position(36).put(ascii("acsp"));
        header.position(68);
        fixed(header, D50);
        return header.array();
    }

    private static byte[] description() {
        ByteBuffer tag = ByteBuffer.allocate(112).put(ascii("desc")).putInt(0).putInt(DESCRIPTION.length() + 1);
        tag.put(ascii(DESCRIPTION)); // and nothing in other scripts
        return tag.array();
    }

    private static byte[] text(String text) {
        return ByteBuffer.allocate((8 + text.length() + 4) / 4 * 4)
                .put(ascii("text"))
                .putInt(0)
                .put(ascii(text))
                .array();
    }

    private static byte[] xyz(double[] colour) {
        ByteBuffer tag = ByteBuffer.allocate(20).put(ascii("XYZ ")).putInt(0);
        fixed(tag, colour);
        return tag.array();
    }

    private static byte[] curve() {
        ByteBuffer tag =
                ByteBuffer.allocate(12 + 2 * CURVE).put(ascii("curv")).putInt(0).putInt(CURVE);
        for (int i = 0; i < CURVE; i++) {
            double code = i / (CURVE - 1.0);
            double light = code <= 0.04045 ? code / 12.92 : Math.pow((code + 0.055) / 1.055, 2.4);
            tag.putShort((short) Math.round(light * 65535));
        }
        return tag.array();
    }

    /** Numbers with 16 bits behind the point. */
    private static void fixed(ByteBuffer to, double[] numbers) {
        for (double each : numbers) {
            to.putInt((int) Math.round(each * 65536));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
