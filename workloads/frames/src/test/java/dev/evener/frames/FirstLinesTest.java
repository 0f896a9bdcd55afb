package dev.evener.frames;

/** Radiance pictures as a process expands the first lines that it reads. */
class FirstLinesTest extends RadianceReaderTest {
    @Override
    int firstLines() {
        return Integer.MAX_VALUE;
    }
}
