package dev.evener.workloads.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.evener.internal.HostMemory;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.files.JsonText;
import dev.evener.internal.files.PlainFiles;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.Set;
import org.jocl.CL;
import org.junit.jupiter.api.Test;

/** The boundaries between all modules. Each rule is also shown to catch a class that breaks it. */
class ArchitectureTest {
    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("dev.evener");

    private static final String[] UPPER_MODULES = {
        "dev.evener.kernels..", "dev.evener.frames..", "dev.evener.workloads.."
    };

    @Test
    void allModulesAreChecked() {
        for (String name : new String[] {
            "dev.evener.Evener",
            "dev.evener.internal.cl.Cl",
            "dev.evener.kernels.tonemap.ToneMapper",
            "dev.evener.kernels.reference.ToneMapReference",
            "dev.evener.frames.FrameFile",
            "dev.evener.workloads.LogSetup",
            "dev.evener.workloads.cli.TonemapCommand"
        }) {
            assertTrue(PRODUCTION.contain(name), name);
        }
        assertFalse(PRODUCTION.contain(ArchitectureTest.class), "test classes are not under these rules");
        assertFalse(PRODUCTION.contain("dev.evener.JobConformance"), "nor are those of other modules");
    }

    @Test
    void onlyOnePackageTalksToJocl() {
        check(
                noClasses()
                        .that()
                        .resideOutsideOfPackage("dev.evener.internal.cl..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("org.jocl.."),
                UsesJocl.class);
    }

    @Test
    void onlyTheProgramBindsALogger() {
        check(
                noClasses()
                        .that()
                        .resideOutsideOfPackage("dev.evener.workloads")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(
                                "ch.qos.logback..",
                                "org.apache.log4j..",
                                "org.apache.logging..",
                                "java.util.logging.."),
                BindsALogger.class);
    }

    /**
     * What the scheduler keeps to itself. The exceptions are files that appear whole or are plain ones, and what is wrong with JSON, for commands, pictures
     * and the tuning, how a kernel's text is read, and what memory a stream of frames took.
     */
    @Test
    void internalsOfTheSchedulerStayThere() {
        check(
                noClasses()
                        .that()
                        .resideInAnyPackage(UPPER_MODULES)
                        .should()
                        .dependOnClassesThat(resideInAPackage("dev.evener.internal..")
                                .and(DescribedPredicate.not(JavaClass.Predicates.equivalentTo(AtomicFiles.class)))
                                .and(DescribedPredicate.not(JavaClass.Predicates.equivalentTo(JsonText.class)))
                                .and(DescribedPredicate.not(JavaClass.Predicates.equivalentTo(PlainFiles.class)))
                                .and(DescribedPredicate.not(resideInAPackage("dev.evener.internal.source")))
                                .and(DescribedPredicate.not(JavaClass.Predicates.equivalentTo(HostMemory.Use.class)))),
                UsesInternals.class);
        check(
                noClasses()
                        .that()
                        .resideInAnyPackage(UPPER_MODULES)
                        .and()
                        .haveNameNotMatching(
                                "dev\\.evener\\.workloads\\.(cli\\.(OutputFiles|HistoryCommand|NumaNodes)|document\\.(Node|JsonStream|BoundedLines)"
                                        + "|bench\\.ResultsFile|workload\\.InputFile|replay\\.Digests|imports\\.KernelReader)"
                                        + "|dev\\.evener\\.frames\\.(CubeFile|FrameFile|FrameStore.*|FrameStream|PictureFormat|StreamReport.*)|dev\\.evener\\.kernels\\.tuning\\.TuningCache")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("dev.evener.internal.."),
                WritesFiles.class);
    }

    /**
     * A pipe may keep whoever opens it waiting for ever, and a device never end: one class opens what somebody named, and refuses these. What
     * knows no internal class does so itself.
     */
    @Test
    void onlyOneClassOpensFilesToBeRead() {
        DescribedPredicate<JavaCall<?>> opens = DescribedPredicate.describe(
                "open a file to be read",
                call -> Set.of(Files.class.getName(), FileChannel.class.getName(), FileInputStream.class.getName())
                                .contains(call.getTargetOwner().getName())
                        && call.getName()
                                .matches("newInputStream|newByteChannel|newBufferedReader|readAll.*|readString|lines"
                                        + "|open|<init>"));
        check(
                noClasses()
                        .that()
                        .haveNameNotMatching("dev\\.evener\\.(KernelSource|internal\\.files\\.(PlainFiles|AtomicFiles)"
                                + "|internal\\.lane\\.OpenClDevices|record\\.Recorder)") // the last two read what
                        // Linux has in /proc
                        .should()
                        .callMethodWhere(opens)
                        .orShould()
                        .callConstructorWhere(opens),
                OpensFiles.class);
    }

    @Test
    void modulesDependOnTheOnesAboveThemOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages(UPPER_MODULES)
                .should()
                .dependOnClassesThat(resideInAnyPackage(UPPER_MODULES))
                .check(PRODUCTION);
        noClasses()
                .that()
                .resideInAPackage("dev.evener.kernels..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.evener.frames..", "dev.evener.workloads..")
                .check(PRODUCTION);
        noClasses()
                .that()
                .resideInAPackage("dev.evener.frames..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.evener.workloads..", "picocli..")
                .check(PRODUCTION);
    }

    /** Commands print through picocli, so that whoever runs them in a process can catch what they say. */
    @Test
    void nothingIsPrintedPastTheCommandLine() {
        check(
                noClasses().should().accessField(System.class, "out").orShould().accessField(System.class, "err"),
                Prints.class);
    }

    private static void check(ArchRule rule, Class<?> culprit) {
        rule.check(PRODUCTION);
        JavaClasses one = new ClassFileImporter().importClasses(culprit);
        assertThrows(AssertionError.class, () -> rule.check(one), () -> culprit + " should break: " + rule);
    }

    // ---- culprits ----

    static final class UsesJocl {
        Class<?> type() {
            return CL.class;
        }
    }

    static final class BindsALogger {
        Object value() {
            return new ch.qos.logback.classic.LoggerContext();
        }
    }

    static final class UsesInternals {
        Object value() {
            return NativeLedger.live();
        }
    }

    static final class WritesFiles {
        Object value() {
            return AtomicFiles.setAside(java.nio.file.Path.of("x"), "x", "x");
        }
    }

    static final class OpensFiles {
        Object value() throws IOException {
            return Files.readString(java.nio.file.Path.of("x"));
        }
    }

    static final class Prints {
        void run() {
            System.out.println();
        }
    }
}
