package dev.evener;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SliceRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The boundaries between packages. Each rule is also shown to catch a class that breaks it. */
class ArchitectureTest {
    /** Of this module only, whatever else is on the class path. */
    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .importUrl(Evener.class.getProtectionDomain().getCodeSource().getLocation());

    private static final String LANES = "dev.evener.internal.jvm..";

    @Test
    void thereIsSomethingToCheck() {
        for (String name : new String[] {
            "dev.evener.Evener",
            "dev.evener.policy.Policies",
            "dev.evener.model.KernelHistory",
            "dev.evener.internal.run.JobRun"
        }) {
            assertTrue(PRODUCTION.contain(name), name);
        }
        assertFalse(PRODUCTION.contain(ArchitectureTest.class), "test classes are not under these rules");
    }

    /** What units have of a buffer is a {@code Layout} once the job is built: nobody asks afterwards what its access was. */
    private static final ArchRule ACCESSES_ARE_ASKED_WHERE_JOBS_ARE_BUILT = noClasses()
            .that()
            .resideInAnyPackage("dev.evener.internal..", "dev.evener.model..", "dev.evener.policy..")
            .and()
            .resideOutsideOfPackage("dev.evener.internal.job")
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(
                    Access.Slice.class,
                    Access.Halo.class,
                    Access.Parts.class,
                    Access.Whole.class,
                    Access.Append.class,
                    Access.Count.class);

    @Test
    void accessesAreAskedWhereJobsAreBuilt() {
        ACCESSES_ARE_ASKED_WHERE_JOBS_ARE_BUILT.check(PRODUCTION);
    }

    /** Not even the rest of Evener: a policy sees snapshots. */
    private static ArchRule policiesArePure(String policies) {
        return classes()
                .that()
                .resideInAPackage(policies)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("dev.evener.policy..", "org.jspecify..")
                        .or(describe("pure classes of java.*", ArchitectureTest::isPureJava)));
    }

    @Test
    void policiesArePure() {
        policiesArePure("dev.evener.policy..").check(PRODUCTION);
        for (Class<?> impure : new Class<?>[] {ReadsTheClock.class, StartsThreads.class, ReadsFiles.class}) {
            assertCaught(policiesArePure("dev.evener"), impure);
        }
    }

    /** No threads, locks, files or clocks; {@code System} has the clock. */
    private static boolean isPureJava(JavaClass type) {
        JavaClass base = type.getBaseComponentType();
        return base.isPrimitive()
                || (base.getPackageName().startsWith("java.lang")
                        && !base.isEquivalentTo(System.class)
                        && !base.isEquivalentTo(Thread.class))
                || (base.getPackageName().startsWith("java.util")
                        && !base.getPackageName().startsWith("java.util.concurrent"));
    }

    private static final ArchRule RUN_AND_HISTORY_KNOW_NO_LANES = noClasses()
            .that()
            .resideInAnyPackage(
                    "dev.evener.internal.run..",
                    "dev.evener.internal.recovery..",
                    "dev.evener.internal.fold..",
                    "dev.evener.model..",
                    "dev.evener.policy..")
            .should()
            .dependOnClassesThat(resideInAPackage(LANES));

    @Test
    void theRunAndTheHistoryKnowNoLanes() {
        RUN_AND_HISTORY_KNOW_NO_LANES.check(PRODUCTION);
    }

    /** The life of a job uses both; neither knows of the job it serves, nor of the other. What all share is in internal itself. */
    private static ArchRule standsAlone(String pkg) {
        return noClasses()
                .that()
                .resideInAPackage(pkg)
                .should()
                .dependOnClassesThat(resideInAPackage("dev.evener.internal..")
                        .and(not(resideInAnyPackage(pkg, "dev.evener.internal", "dev.evener.internal.job"))));
    }

    @Test
    void recoveryAndFoldingStandBelowTheRun() {
        standsAlone("dev.evener.internal.recovery").check(PRODUCTION);
        standsAlone("dev.evener.internal.fold").check(PRODUCTION);
        standsAlone("dev.evener.internal.data").check(PRODUCTION);
        assertCaught(standsAlone("dev.evener"), KnowsTheRun.class);
    }

    /** Not by way of the runtime's facade either: the simulator runs it on a virtual clock. */
    private static final ArchRule RUNS_KNOW_NO_DEVICES = noClasses()
            .that()
            .resideInAPackage("dev.evener.internal.run..")
            .should()
            .dependOnClassesThat(resideInAPackage(LANES)
                    .or(describe(
                            "Evener",
                            type -> type.getFullName().startsWith("dev.evener.Evener")
                                    && !type.getFullName().startsWith("dev.evener.EvenerException"))));

    @Test
    void runsKnowNoDevices() {
        RUNS_KNOW_NO_DEVICES.check(PRODUCTION);
    }

    /** Public classes that stand on the runtime's own: descriptions, buffers and files do; of what runs them they know nothing. */
    private static final Set<String> ON_INTERNALS = Set.of(
            "Job", "JobBuilder", "JobFuture", "HostBuffer", "KernelSource", "StoredHistory", "JobKey", "HistoryFile");

    /** The runtime's facade opens lanes. */
    private static final ArchRule INTERNALS_STAY_INSIDE = noClasses()
            .that(describe(
                    "public classes, but the facade",
                    type -> !isInternal(type)
                            && !Set.of("Evener", "EvenerBuilder").contains(outermost(type))
                            && !isOnInternals(type)))
            .should()
            .dependOnClassesThat(describe("internal classes", ArchitectureTest::isInternal));

    private static boolean isInternal(JavaClass type) {
        return type.getPackageName().startsWith("dev.evener.internal");
    }

    private static boolean isOnInternals(JavaClass type) {
        return !isInternal(type) && ON_INTERNALS.contains(outermost(type));
    }

    private static String outermost(JavaClass type) {
        String name = type.getFullName().substring(type.getPackageName().length() + 1);
        return name.replaceFirst("\\$.*", "");
    }

    @Test
    void internalsStayInside() {
        INTERNALS_STAY_INSIDE.check(PRODUCTION);
        assertCaught(INTERNALS_STAY_INSIDE, UsesInternals.class);
    }

    @Test
    void whatIsExemptFromThatTouchesOnlyWhatItNeeds() {
        classes()
                .that(describe("on internals", ArchitectureTest::isOnInternals))
                .should()
                .onlyDependOnClassesThat(not(resideInAPackage("dev.evener.internal.*.."))
                        .or(resideInAnyPackage(
                                "dev.evener.internal.files", "dev.evener.internal.job", "dev.evener.internal.source")))
                .check(PRODUCTION);
    }

    /**
     * What the API's own types know of what implements them: where an application gets one. None may come to these; that each is
     * still needed is checked too. The facade stands above all, and is no part of the API here.
     */
    private static final Map<String, String> DOORS = Map.of(
            "dev.evener.JobBuilder", "dev.evener.internal.job.",
            "dev.evener.History", "dev.evener.model.StoredHistory");

    /** API ← policy, model ← run ← jvm ← device, with recovery, fold, order and data below run. */
    private static SliceRule packages(Map<String, String> doors) {
        SliceRule rule = SlicesRuleDefinition.slices()
                .assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        boolean facade = Set.of("dev.evener.Evener", "dev.evener.EvenerBuilder")
                                .contains(enclosing(type));
                        // Images are words of the API, which jobs are described in.
                        String its = type.getPackageName().replaceFirst("^dev\\.evener\\.image$", "dev.evener");
                        return SliceIdentifier.of(facade ? "facade" : its);
                    }

                    @Override
                    public String getDescription() {
                        return "packages, and the facade";
                    }
                })
                .should()
                .beFreeOfCycles();
        for (Map.Entry<String, String> door : doors.entrySet()) {
            rule = rule.ignoreDependency(
                    describe("API", type -> enclosing(type).equals(door.getKey())),
                    describe("its maker", type -> enclosing(type).startsWith(door.getValue())));
        }
        return rule;
    }

    private static String enclosing(JavaClass type) {
        return type.getFullName().replaceFirst("\\$.*", "");
    }

    @Test
    void noPackagesDependOnEachOther() {
        packages(DOORS).check(PRODUCTION);
        for (String unneeded : DOORS.keySet()) {
            Map<String, String> fewer = new HashMap<>(DOORS);
            fewer.remove(unneeded);
            assertThrows(AssertionError.class, () -> packages(fewer).check(PRODUCTION), unneeded);
        }
    }

    private static final ArchRule NO_LOGGER_IS_BOUND = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "ch.qos.logback..", "org.apache.log4j..", "org.apache.logging..", "java.util.logging..");

    @Test
    void libraryCodeBindsNoLogger() {
        NO_LOGGER_IS_BOUND.check(PRODUCTION);
        assertCaught(NO_LOGGER_IS_BOUND, BindsALogger.class);
        String bound = LoggerFactory.getILoggerFactory().getClass().getName();
        assertTrue(bound.startsWith("org.slf4j.helpers.NOP"), "a dependency of this module brought a logger: " + bound);
    }

    private static final ArchRule NOTHING_IS_PRINTED =
            noClasses().should().accessField(System.class, "out").orShould().accessField(System.class, "err");

    @Test
    void nothingIsPrinted() {
        NOTHING_IS_PRINTED.check(PRODUCTION);
        assertCaught(NOTHING_IS_PRINTED, Prints.class);
    }

    private static void assertCaught(ArchRule rule, Class<?> culprit) {
        JavaClasses one = new ClassFileImporter().importClasses(culprit);
        assertThrows(AssertionError.class, () -> rule.check(one), () -> culprit + " should break: " + rule);
    }

    // ---- culprits ----

    static final class ReadsTheClock {
        long value() {
            return System.nanoTime();
        }
    }

    static final class StartsThreads {
        void run() {
            new Thread(() -> {}).start();
        }
    }

    static final class ReadsFiles {
        java.nio.file.Path path() {
            return java.nio.file.Path.of("x");
        }
    }

    static final class UsesInternals {
        Object value() {
            return dev.evener.internal.NativeLedger.live();
        }
    }

    static final class KnowsTheRun {
        Object value() {
            return new dev.evener.internal.run.ChunkTimes();
        }
    }

    static final class BindsALogger {
        Object value() {
            return java.util.logging.Logger.getGlobal();
        }
    }

    static final class Prints {
        void run() {
            System.out.println();
        }
    }
}
