package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.HostData;
import dev.evener.policy.Policies;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What Java gives a kernel or a buffer arrives as the number it is, or is refused: of every type, from every type and in every order. */
class ScalarsAndValuesTest {
    private static final ByteOrder NATIVE = ByteOrder.nativeOrder();
    private static final ByteOrder OTHER =
            NATIVE == ByteOrder.LITTLE_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    private static final int SEVEN = 7; // the number that is given in every way; no two types have it in the same bits

    /** The number, as a buffer of this type has it. */
    private static byte[] bits(ElementType type) {
        ByteBuffer bits = ByteBuffer.allocate(type.bytes()).order(NATIVE);
        switch (type) {
            case BYTE, UBYTE -> bits.put((byte) SEVEN);
            case SHORT, USHORT -> bits.putShort((short) SEVEN);
            case INT, UINT -> bits.putInt(SEVEN);
            case LONG, ULONG -> bits.putLong(SEVEN);
            case FLOAT -> bits.putFloat(SEVEN);
            case DOUBLE -> bits.putDouble(SEVEN);
        }
        return bits.array();
    }

    private static List<Buffer> buffers() {
        return List.of(
                ByteBuffer.wrap(new byte[] {SEVEN}),
                ShortBuffer.wrap(new short[] {SEVEN}),
                IntBuffer.wrap(new int[] {SEVEN}),
                LongBuffer.wrap(new long[] {SEVEN}),
                FloatBuffer.wrap(new float[] {SEVEN}),
                DoubleBuffer.wrap(new double[] {SEVEN}),
                CharBuffer.wrap(new char[] {SEVEN}),
                ByteBuffer.allocateDirect(2)
                        .order(OTHER)
                        .putShort(0, (short) SEVEN)
                        .asShortBuffer(),
                ByteBuffer.allocateDirect(4).order(OTHER).putInt(0, SEVEN).asIntBuffer(),
                ByteBuffer.allocateDirect(8).order(OTHER).putLong(0, SEVEN).asLongBuffer(),
                ByteBuffer.allocateDirect(4).order(OTHER).putFloat(0, SEVEN).asFloatBuffer(),
                ByteBuffer.allocateDirect(8).order(OTHER).putDouble(0, SEVEN).asDoubleBuffer());
    }

    /** Of bytes only those of one element's length in native order are its bits. */
    @Test
    void whatIsPutIntoABufferIsThereOrRefused() {
        int right = 0;
        for (ElementType type : ElementType.values()) {
            for (Buffer from : buffers()) {
                HostData target = MadeUpBuffers.inSegments(type, 1, 4096);
                String what = from + " into " + type;
                try {
                    target.put(0, from);
                } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                    byte[] found = new byte[type.bytes()];
                    target.bytes().get(found);
                    assertArrayEquals(new byte[type.bytes()], found, what);
                    continue;
                }
                byte[] found = new byte[type.bytes()];
                target.bytes().get(found);
                assertArrayEquals(bits(type), found, what);
                right++;
            }
            for (ByteOrder order : List.of(NATIVE, OTHER)) {
                HostData target = MadeUpBuffers.inSegments(type, 1, 4096);
                ByteBuffer from = ByteBuffer.wrap(bits(type)).order(order);
                if (order == NATIVE || type.bytes() == 1) {
                    target.put(0, from);
                    ByteBuffer back = ByteBuffer.allocate(type.bytes()).order(order);
                    target.get(0, back);
                    assertArrayEquals(bits(type), back.array());
                } else {
                    String said = assertThrows(IllegalArgumentException.class, () -> target.put(0, from))
                            .getMessage();
                    assertTrue(said.contains("call order(ByteOrder.nativeOrder())"), said);
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> target.get(
                                    0, ByteBuffer.allocate(type.bytes()).order(order)));
                }
            }
        }
        assertEquals(2 + 2 * 8, right, "bytes as bytes, and of all other types two orders each");
    }

    private static final List<String> TYPES =
            List.of("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double");

    private static final List<Number> NUMBERS = List.of(
            (byte) SEVEN,
            (short) SEVEN,
            SEVEN,
            (long) SEVEN,
            (float) SEVEN,
            (double) SEVEN,
            BigInteger.valueOf(SEVEN),
            BigDecimal.valueOf(SEVEN),
            new AtomicInteger(SEVEN));

    @Test
    void whatAKernelIsGivenIsThereOrRefused() {
        String source = TYPES.stream()
                .map(type -> "__kernel void of_" + type + "(__global double *out, " + type + " v)"
                        + " { out[get_global_id(0)] = v; }\n")
                .collect(Collectors.joining());
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse("0.0"))
                        .history(History.inMemory())
                        .policy(Policies.single())
                        .open();
                HostBuffer out = evener.allocate(ElementType.DOUBLE, 1)) {
            int right = 0;
            for (ElementType type : ElementType.values()) {
                for (Number each : NUMBERS) {
                    right += isRight(evener, source, type, out, each) ? 1 : 0;
                }
                ByteBuffer bytes = ByteBuffer.wrap(bits(type));
                assertTrue(isRight(evener, source, type, out, bytes.order(NATIVE)));
                assertEquals(
                        type.bytes() == 1,
                        isRight(evener, source, type, out, bytes.duplicate().order(OTHER)));
                for (ElementType other : ElementType.values()) {
                    ByteBuffer its = ByteBuffer.wrap(bits(other)).order(NATIVE);
                    assertTrue(other.bytes() == type.bytes() || !isRight(evener, source, type, out, its));
                }
            }
            assertEquals(2 * 4 + 2, right, "whole numbers of four sizes, of each sign, a float and a double");
        }
    }

    /** Whether it arrives; false if it is refused. */
    private static boolean isRight(Evener evener, String source, ElementType type, HostBuffer out, Object given) {
        out.doubles().put(0, -1);
        try {
            JobBuilder job = Job.named("given")
                    .source(source)
                    .units(1)
                    .kernel("of_" + type.openClName())
                    .writes(out, Access.slice());
            Job built = (given instanceof ByteBuffer bytes ? job.value(bytes) : job.scalar((Number) given)).build();
            evener.submit(built).join();
        } catch (EvenerException e) {
            return false;
        } catch (CompletionException e) {
            assertTrue(e.getCause() instanceof EvenerException.JobRejectedException, () -> e + " of " + given);
            return false;
        }
        assertEquals(SEVEN, out.doubles().get(0), () -> given.getClass() + " " + given + " for " + type);
        return true;
    }
}
