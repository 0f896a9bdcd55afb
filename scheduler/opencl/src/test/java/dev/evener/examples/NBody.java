package dev.evener.examples;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import java.nio.FloatBuffer;
import java.util.Random;

/** Bodies that attract each other: each step reads all of them and moves each one. */
public final class NBody {
    // region kernel
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void move(global const float4 *bodies, global float4 *velocities, global float4 *moved, ulong first,
                             int count, float dt) {
                size_t i = get_global_id(0);
                float4 me = bodies[first + i]; // all bodies are there, so the place is absolute
                float4 pull = 0;
                for (int j = 0; j < count; j++) {
                    float4 d = bodies[j] - me;
                    float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
                    pull += d * (bodies[j].w / (r2 * sqrt(r2))); // w is the mass
                }
                float4 v = velocities[i] + pull * dt;
                v.w = 0;
                velocities[i] = v;
                moved[i] = me + v * dt;
            }
            """;
    // endregion

    // region job
    /** An even number of steps, after which the bodies are where they were: in {@code bodies}. */
    static Job job(HostBuffer bodies, HostBuffer velocities, HostBuffer other, int steps, float dt) {
        int count = (int) bodies.elements() / 4;
        JobBuilder job = Job.named("n-body").source(SOURCE).units(count);
        for (int step = 0; step < steps; step++) {
            boolean even = step % 2 == 0;
            job.kernel("move") // one phase for each step
                    .reads(even ? bodies : other, whole())
                    .updates(velocities, slice(4))
                    .writes(even ? other : bodies, slice(4))
                    .chunkStart()
                    .scalar(count)
                    .scalar(dt);
        }
        return job.build();
    }
    // endregion

    private NBody() {}

    /** A cloud of bodies at rest; x, y, z and mass of each. */
    static float[] cloud(int count, long seed) {
        Random random = new Random(seed);
        float[] bodies = new float[4 * count];
        for (int i = 0; i < bodies.length; i++) {
            bodies[i] = i % 4 == 3 ? 1f / count : random.nextFloat() * 2 - 1;
        }
        return bodies;
    }

    public static void main(String[] args) {
        int count = 4096;
        try (Evener evener = Evener.open()) {
            HostBuffer bodies = evener.allocate(ElementType.FLOAT, 4L * count);
            HostBuffer velocities = evener.allocate(ElementType.FLOAT, 4L * count);
            HostBuffer other = evener.allocate(ElementType.FLOAT, 4L * count);
            bodies.floats().put(cloud(count, 1));
            evener.submit(job(bodies, velocities, other, 20, 0.01f)).join();
            FloatBuffer v = velocities.floats();
            double energy = 0;
            for (int i = 0; i < count; i++) {
                double speed2 = 0;
                for (int c = 0; c < 3; c++) {
                    speed2 += v.get(4 * i + c) * (double) v.get(4 * i + c);
                }
                energy += speed2 / 2 / count;
            }
            System.out.printf("kinetic energy after 20 steps: %.6f%n", energy);
        }
    }
}
