package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.awt.color.ColorSpace;
import java.awt.color.ICC_ColorSpace;
import java.awt.color.ICC_Profile;
import org.junit.jupiter.api.Test;

/** The profile in JPEG files, as another's colour management takes it. */
class SrgbProfileTest {
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
}
