package example;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.metrics.EvenerMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;

/** A service that has devices work for its requests, and a batch job: what an application does with Evener's bean. */
@SpringBootApplication
public class Application {
    private static final Logger LOG = LoggerFactory.getLogger(Application.class);

    public static void main(String[] arguments) {
        ConfigurableApplicationContext context = SpringApplication.run(Application.class, arguments);
        if (!(context instanceof WebServerApplicationContext)) { // the batch job has ended
            System.exit(SpringApplication.exit(context));
        }
    }

    /** One for the application. Spring closes it at last, if {@link #shutdown} has not. */
    @Bean
    Evener evener(MeterRegistry registry, @Value("${example.devices:all}") String devices) {
        EvenerMetrics metrics = new EvenerMetrics(registry);
        Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .requireOpenCl()
                .listener(metrics)
                .open();
        metrics.watchQueue(evener);
        metrics.watchHealth(evener);
        LOG.info("works on {}, {}", evener.devices().stream().map(DeviceInfo::id).toList(), evener.notes());
        return evener;
    }

    /** Is stopped after the web server, which waits for its requests in a higher phase, and lets all jobs end. */
    @Bean
    SmartLifecycle shutdown(Evener evener, Squares squares) {
        return new SmartLifecycle() {
            private volatile boolean running;

            @Override
            public void start() {
                running = true;
            }

            @Override
            public void stop() {
                boolean ended = evener.close(Duration.ofSeconds(30));
                LOG.info("jobs: {}, all ended: {}", squares.counts(), ended);
                running = false;
            }

            @Override
            public boolean isRunning() {
                return running;
            }

            @Override
            public int getPhase() {
                return 0;
            }
        };
    }

    @Bean
    HealthIndicator evenerHealthIndicator(Evener evener) {
        return () -> {
            DeviceInfo.Health health = evener.health();
            return (health.working().isEmpty() ? Health.down() : Health.up())
                    .withDetail("working", health.working().stream().map(DeviceInfo::id).toList())
                    .withDetail("quarantined", health.quarantined())
                    .withDetail("leftOut", health.leftOut())
                    .withDetail("degraded", health.degraded())
                    .build();
        };
    }
}
