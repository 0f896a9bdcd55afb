package dev.evener.workloads.bench;

import dev.evener.workloads.bench.Entry.Role;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One way to do what a case asks for, ready to take its turn in each round.
 *
 * @param name unique within a case
 * @param role what it is there for
 * @param turn does the work once
 * @param tried whether its result was compared with a reference before, and was right
 * @param check does it once more and makes that comparison: one sentence on what is wrong, or null; null where there is nothing
 *     to compare
 */
record Contender(
        String name,
        Role role,
        Supplier<Sample> turn,
        boolean tried,
        @Nullable Supplier<@Nullable String> check) {}
