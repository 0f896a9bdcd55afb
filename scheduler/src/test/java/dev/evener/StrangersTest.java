package dev.evener;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The API's interfaces are open, but what is not of Evener's own making is refused, and told by its class. */
class StrangersTest {
    private static <T> T stranger(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    throw new AssertionError("asked for " + method);
                }));
    }

    private static void assertRefused(String cure, Executable call) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.contains("Proxy") && message.contains(cure), message);
    }

    @Test
    void buffersJobsAndHistoriesOfOthersAreRefused() {
        for (Class<? extends DataBuffer> type : List.of(DataBuffer.class, HostBuffer.class, ManagedBuffer.class)) {
            assertRefused("allocate", () -> job().reads(stranger(type), Access.slice()));
        }
        assertRefused("History.at", () -> Evener.builder().history(stranger(History.class)));
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open()) {
            assertRefused("Job.named", () -> evener.submit(stranger(Job.class)));
            Job job = job().build();
            assertRefused("History.at", () -> evener.submit(job, Policies.single(), stranger(History.class)));
        }
    }

    private static JobBuilder job() {
        return Job.named("j").units(4).kernel("k").jvm(chunk -> {});
    }
}
