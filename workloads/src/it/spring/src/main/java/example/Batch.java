package example;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.springframework.batch.core.Job;
import org.springframework.batch.core.Step;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.item.ItemWriter;
import org.springframework.batch.item.support.AbstractItemCountingItemStreamItemReader;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * A batch job that writes a tenth of each item's square to a file, with a job of Evener's for each chunk of items. One that is started
 * again with the same parameters goes on behind the last chunk that was committed, and comes to the same bits, whatever devices it has
 * then.
 */
@Configuration
class Batch {
    /** Numbers; where it begins is kept with the step. */
    private static final class Numbers extends AbstractItemCountingItemStreamItemReader<Integer> {
        Numbers(int count) {
            setName("numbers");
            setMaxItemCount(count);
        }

        @Override
        protected Integer doRead() {
            return getCurrentItemCount() - 1;
        }

        @Override
        protected void doOpen() {}

        @Override
        protected void doClose() {}
    }

    @Bean
    Job squaresJob(JobRepository repository, Step squaresStep) {
        return new JobBuilder("squares", repository).start(squaresStep).build();
    }

    @Bean
    Step squaresStep(
            JobRepository repository,
            PlatformTransactionManager transactions,
            Squares squares,
            @Value("${example.items:100000}") int items,
            @Value("${example.out:squares.bin}") Path out,
            @Value("${example.fails-at:-1}") int failsAt) {
        ItemWriter<Integer> writer = chunk -> {
            int first = chunk.getItems().get(0);
            float[] results = squares.from(first, chunk.size()).join();
            ByteBuffer bytes = ByteBuffer.allocate(results.length * Float.BYTES);
            bytes.asFloatBuffer().put(results);
            try (FileChannel file = FileChannel.open(out, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                file.write(bytes, (long) first * Float.BYTES); // where it belongs, also when it is written again
            }
            if (first <= failsAt && failsAt < first + chunk.size()) {
                throw new IllegalStateException("fails at item " + failsAt + ", as was asked for");
            }
        };
        return new StepBuilder("squares", repository)
                .<Integer, Integer>chunk(1000, transactions)
                .reader(new Numbers(items))
                .writer(writer)
                .build();
    }
}
