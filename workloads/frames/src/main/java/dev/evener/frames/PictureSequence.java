package dev.evener.frames;

import dev.evener.frames.StreamReport.Step;
import dev.evener.kernels.pipeline.StepClock;
import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Pictures one behind the other in a channel. {@link PictureFormat#Y4M} has a header before the first one, which says the size of all:
 * a frame of another size fails. One thread writes.
 */
final class PictureSequence implements PictureTarget {
    private final List<Path> inputs;
    private final PictureFormat format;
    private final String rate;
    private final WritableByteChannel channel;
    private int first = -1; // the input that the header was for
    private FrameLayout firstSize = new FrameLayout(1, 1);
    private volatile boolean broken; // a write has failed

    PictureSequence(FrameStreamBuilder options, WritableByteChannel channel) {
        this.inputs = options.inputs;
        this.format = options.format;
        this.rate = options.rate;
        this.channel = channel;
    }

    @Override
    public boolean isInOrder() {
        return true;
    }

    @Override
    public @Nullable Path write(int input, FrameLayout size, FrameJob work, StepClock<Step> clock)
            throws FrameException {
        boolean headed = !format.isStream() || first >= 0;
        if (headed && format.isStream() && !size.equals(firstSize)) {
            throw new FrameException(
                    inputs.get(input),
                    "has " + size + " pixels, but the stream began with " + firstSize + " pixels of "
                            + inputs.get(first)
                            + "; a y4m stream has one size: map frames of different sizes in runs of their own, or as png or ppm");
        }
        if (broken) {
            throw new CancellationException();
        }
        try {
            if (!headed) {
                int[] aspect = size.aspectRatio();
                FrameJob.text(
                        channel,
                        "YUV4MPEG2 W" + size.width() + " H" + size.height() + " F" + rate + " Ip A" + aspect[0] + ":"
                                + aspect[1]
                                + (format == PictureFormat.Y4M
                                        ? " C420jpeg XYSCSS=420JPEG XCOLORRANGE=FULL\n"
                                        : " C420p10 XYSCSS=420P10 XCOLORRANGE=LIMITED\n"));
                first = input;
                firstSize = size;
            }
            work.write(channel, clock);
        } catch (IOException e) {
            broken = true;
            throw new UncheckedIOException(e);
        }
        return null;
    }

    /**
     * Nobody waits in a write that has failed. To close the channel then could do harm: where a process began without a standard
     * output, its descriptor is that of a file of the JVM's own.
     */
    @Override
    public void stop() {
        try {
            if (!broken) {
                channel.close();
            }
        } catch (IOException e) {
            // Nobody reads from it any more.
        }
    }
}
