package dev.evener.spark;

import com.esotericsoftware.kryo.Kryo;
import java.util.stream.Stream;
import org.apache.spark.serializer.KryoRegistrator;

/**
 * For {@code spark.kryo.registrationRequired}: what this module sends as data.
 * {@code spark.kryo.registrator=dev.evener.spark.EvenerKryo}. Without that setting Kryo needs nothing of it. Stateless.
 */
public final class EvenerKryo implements KryoRegistrator {
    @Override
    public void registerClasses(Kryo kryo) {
        Stream.of(SparkFrames.Frame.class, TiledFile.class, TiledFile.Block.class, SparkFrames.Result.class)
                .forEach(kryo::register);
    }
}
