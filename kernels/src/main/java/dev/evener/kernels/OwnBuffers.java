package dev.evener.kernels;

import dev.evener.DataBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@linkplain OwnBuffer buffers} of one owner, which are released together. One thread at a time. */
public final class OwnBuffers implements AutoCloseable {
    private final List<OwnBuffer<?>> all = new ArrayList<>();

    /** One more, which is none at first. */
    public <B extends DataBuffer> OwnBuffer<B> add(OwnBuffer.Maker<B> maker) {
        OwnBuffer<B> added = new OwnBuffer<>(maker);
        all.add(added);
        return added;
    }

    /** Releases all of them, even if one cannot be. Idempotent; each is made anew when it is asked for. */
    @Override
    public void close() {
        @Nullable RuntimeException first = null;
        for (OwnBuffer<?> each : all) {
            try {
                each.close();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
