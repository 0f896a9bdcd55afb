package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Figures in words, and text made fit for files. */
class TextTest {
    @Test
    void timesHaveThreeFiguresAndAUnit() {
        assertEquals("0 ns", Text.time(0));
        assertEquals("999 ns", Text.time(999));
        assertEquals("1.00 µs", Text.time(999.7));
        assertEquals("12.3 ms", Text.time(12_345_678));
        assertEquals("1.00 s", Text.time(999_800_000));
        assertEquals("250 s", Text.time(250e9));
    }

    @Test
    void otherFigures() {
        assertEquals("0 B", Text.bytes(0));
        assertEquals("1.50 KiB", Text.bytes(1536));
        assertEquals("1,234,567", Text.count(1_234_567L));
        assertEquals("2.5", Text.count(2.5));
        assertEquals("24", Text.count(24.0));
        assertEquals("12.3 %", Text.percent(0.1234));
    }

    @Test
    void textIsMadeFitForFiles() {
        assertEquals("a\uFFFDb c", Text.clean("a\u0000b\nc"));
        assertEquals("\uFFFD\uD83D\uDE00\uFFFD", Text.clean("\uD800\uD83D\uDE00\uFFFF"));
        assertEquals("&lt;a href=&quot;x&quot;&gt;&amp;&#39;", Text.escape("<a href=\"x\">&'"));
    }
}
