package dev.evener.record;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What a record may rest on. */
class ArchitectureTest {
    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .importUrl(Recorder.class.getProtectionDomain().getCodeSource().getLocation());

    /** Files and figures of the machine are all that it takes from within: it knows no run and no device's binding. */
    @Test
    void recordsRestOnTheApi() {
        assertTrue(PRODUCTION.contain("dev.evener.record.Recording"));
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.evener.record",
                        "dev.evener",
                        "dev.evener.event",
                        "dev.evener.internal",
                        "dev.evener.internal.files",
                        "com.fasterxml.jackson..",
                        "org.jctools..",
                        "org.jspecify..",
                        "org.slf4j",
                        "java..")
                .check(PRODUCTION);
    }
}
