package dev.evener.frames;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.frames.StreamReport.Step;
import java.util.List;

/**
 * Whether devices expand the run-length code of a stream's frames, or the host decodes them; the pictures are the same. Where a device has
 * memory of its own they do, as code is less than pixels for the bus, and the host need not write pixels. In a long stream the host decodes
 * a few frames to see: if that is clearly better for what limits the stream, the readers or the devices, it goes on with it to the end. A
 * frame is read before its device is known, so this is decided for all. Any thread.
 */
final class ExpansionChoice {
    /** The first frame that is decoded to see; by then Java's compiler knows the rest, and shorter streams need not pay for a look. */
    static final int FIRST_TRIED = 64;

    static final int TRIED = 4;

    /** Of what the stream takes with code, below which it does with pixels what is worth a change: a look at a few is uncertain. */
    private static final double CLEARLY = 0.9;

    private final boolean possible;
    private final int readers;
    private final int devices;

    // Guarded by this.
    private final Seen expanded = new Seen();
    private final Seen decoded = new Seen();
    private boolean decides;

    /** The least that a pixel took, as what was late has other reasons. */
    private static final class Seen {
        private int frames;
        private double read = Double.POSITIVE_INFINITY; // nanoseconds of a reader, but for the file's system
        private double mapped = Double.POSITIVE_INFINITY; // and of a device

        void add(MappedFrame frame) {
            long busy = 0;
            for (Report.DeviceUse use : frame.report().devices()) {
                busy += use.busyNanos();
            }
            frames++;
            double pixels = frame.layout().pixels();
            read = Math.min(read, frame.times().steps().getOrDefault(Step.DECODING, 0L) / pixels);
            mapped = Math.min(mapped, busy / pixels);
        }
    }

    ExpansionChoice(List<DeviceInfo> devices, int readers) {
        this.possible = !devices.stream().allMatch(DeviceInfo::sharesHostMemory);
        this.readers = readers;
        this.devices = devices.size();
    }

    /** Whether devices expand any frames. */
    boolean isPossible() {
        return possible;
    }

    /** Whether they expand this one. */
    synchronized boolean expands(long frame) {
        return possible && !decides && (frame < FIRST_TRIED || frame >= FIRST_TRIED + TRIED);
    }

    /** What a frame has taken, one way or the other if its file has run-length code. */
    synchronized void saw(MappedFrame frame, FrameFile file) {
        if (file.codedBytes() == 0) {
            return;
        }
        Seen seen = frame.expanded() ? expanded : decoded;
        seen.add(frame);
        if (seen == decoded && decoded.frames == TRIED) {
            decides = limit(decoded) < CLEARLY * limit(expanded);
        }
    }

    /** Nanoseconds in which the readers or the devices are done with a pixel, whichever take longer. */
    private double limit(Seen of) {
        return Math.max(of.read / readers, of.mapped / devices);
    }
}
