package dev.evener.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ChildJava;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where memory lies, and so what overlaps, by the address that the JDK tells. */
class MemoryRangeTest {
    private static final int GIB = 1 << 30;

    @TempDir
    Path folder;

    private static List<MemoryRange> of(ByteBuffer memory) {
        return MemoryRange.onHost(MemoryRange.address(memory), memory.remaining());
    }

    private static boolean overlap(ByteBuffer one, ByteBuffer other) {
        boolean overlap = overlap(of(one), of(other));
        assertEquals(overlap, overlap(of(other), of(one)), "the other way round");
        return overlap;
    }

    private static boolean overlap(List<MemoryRange> some, List<MemoryRange> others) {
        return some.stream().anyMatch(one -> others.stream().anyMatch(one::overlaps));
    }

    private static ByteBuffer ofHole(Path folder) throws IOException {
        int size = GIB + GIB / 2;
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve("hole").toFile(), "rw")) {
            file.setLength(size);
            return file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, size);
        }
    }

    @Test
    void viewsOfOneMemoryLieWhereTheyBegin() {
        ByteBuffer all = ByteBuffer.allocateDirect(1 << 16);
        long start = MemoryRange.address(all);
        List<MemoryRange> part = MemoryRange.onHost(start + 100, 28);
        assertEquals(part, of(all.slice(100, 28)));
        assertEquals(part, of(all.asReadOnlyBuffer().position(100).limit(128)));
        assertEquals(MemoryRange.onHost(start + 1, 0), of(all.slice(1, 0)));
        assertEquals(all.alignmentOffset(0, GIB), start & GIB - 1, "an address of this process");
    }

    @Test
    void piecesOfOneMemoryOverlapWhereTheyDo() {
        ByteBuffer all = ByteBuffer.allocateDirect(1 << 20);
        int[] places = {0, 1, 4095, 4096, 65_536, (1 << 20) - 4096};
        int[] lengths = {1, 4096, 65_536};
        for (int first : places) {
            for (int firstLength : lengths) {
                for (int second : places) {
                    for (int secondLength : lengths) {
                        int one = Math.min(firstLength, all.capacity() - first);
                        int other = Math.min(secondLength, all.capacity() - second);
                        assertEquals(
                                first < second + other && second < first + one,
                                overlap(all.slice(first, one), all.slice(second, other)),
                                () -> first + " + " + one + " and " + second + " + " + other);
                    }
                }
            }
        }
        assertFalse(overlap(all, all.slice(0, 0)));
        assertFalse(overlap(all, all.slice(4096, 0)));
        assertFalse(overlap(ByteBuffer.allocateDirect(1 << 20), ByteBuffer.allocateDirect(1 << 20)));
    }

    @Test
    void whatIsLeftOfARangeIsWhatTheOtherHasNothingOf() {
        Object space = new Object();
        for (int from = 0; from < 6; from++) {
            for (int to = from; to < 6; to++) {
                MemoryRange one = new MemoryRange(space, 1, 5);
                MemoryRange other = new MemoryRange(space, from, to);
                MemoryRange common = one.common(other);
                List<MemoryRange> left = one.without(other);
                for (int at = 0; at < 6; at++) {
                    MemoryRange here = new MemoryRange(space, at, at + 1);
                    boolean both = one.overlaps(here) && other.overlaps(here);
                    assertEquals(both, common != null && common.overlaps(here));
                    assertEquals(one.overlaps(here) && !both, left.stream().anyMatch(here::overlaps));
                }
                assertFalse(one.overlaps(new MemoryRange(new Object(), 1, 5)), "another space");
            }
        }
    }

    /** Neither missed nor made up where the low bits of the addresses are the same. */
    @Test
    void piecesGigabytesApartOverlapWhereTheyDo() throws IOException {
        ByteBuffer all = ofHole(folder);
        ByteBuffer late = all.slice(GIB + 4096, 4096);
        assertTrue(overlap(all, late));
        assertFalse(overlap(all.slice(0, GIB), late));
        assertFalse(overlap(all.slice(4096, 4096), late), "one GiB apart");
    }

    /** The low bits are all that an old runtime without jdk.unsupported tells: then too no overlap is missed. */
    @Test
    void aRuntimeThatTellsNoAddressesMissesNoOverlap() throws IOException, InterruptedException {
        ProcessBuilder builder = ChildJava.of(MemoryRangeTest.class, folder);
        builder.command().add(1, "--limit-modules=java.base");
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        assertEquals("true true false " + (Runtime.version().feature() < 22), printed);
    }

    /** Prints whether memory overlaps that does twice, that does not, and that lies 1 GiB apart. */
    public static void main(String[] arguments) throws IOException {
        ByteBuffer all = ofHole(Path.of(arguments[0]));
        ByteBuffer late = all.slice(GIB + 4096, 4096);
        System.out.print(overlap(all, late)
                + " " + overlap(all.slice(GIB, 8192), late)
                + " " + overlap(all.slice(GIB, 4096), late)
                + " " + overlap(all.slice(4096, 4096), late));
    }
}
