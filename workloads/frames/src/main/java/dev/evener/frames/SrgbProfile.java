package dev.evener.frames;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.Adler32;

/**
 * The colour space sRGB (IEC 61966-2-1) as a profile of the International Color Consortium, version 2.4: the resource {@code srgb.icc},
 * which the profile's test makes of the numbers of the standard. The JDK's own needs a library of the system's that is missing on machines
 * without a desktop. Any thread.
 */
final class SrgbProfile {
    private SrgbProfile() {}

    static byte[] bytes() {
        try (InputStream in = SrgbProfile.class.getResourceAsStream("srgb.icc")) {
            return Objects.requireNonNull(in, "srgb.icc").readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a stream of zlib's with nothing compressed: how a library does that differs from machine to machine. */
    static byte[] stored() {
        byte[] profile = bytes();
        Adler32 sum = new Adler32();
        sum.update(profile);
        ByteBuffer all = ByteBuffer.allocate(11 + profile.length).putShort((short) 0x7801);
        all.put((byte) 1).put(reversed(profile.length)).put(reversed(~profile.length)); // the last block
        return all.put(profile).putInt((int) sum.getValue()).array();
    }

    private static byte[] reversed(int number) {
        return new byte[] {(byte) number, (byte) (number >> 8)};
    }
}
