package dev.evener.simulation;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What a simulation may rest on. */
class ArchitectureTest {
    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .importUrl(Simulator.class.getProtectionDomain().getCodeSource().getLocation());

    /** The runtime itself, but no device: not by way of the runtime's facade either. */
    @Test
    void simulationsKnowNoDevices() {
        assertTrue(PRODUCTION.contain("dev.evener.simulation.Machine"));
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.evener.simulation..",
                        "dev.evener.internal.job",
                        "dev.evener",
                        "dev.evener.event",
                        "dev.evener.model",
                        "dev.evener.policy",
                        "dev.evener.internal",
                        "dev.evener.internal.data",
                        "dev.evener.internal.files",
                        "dev.evener.internal.recovery",
                        "dev.evener.internal.run",
                        "com.fasterxml.jackson..",
                        "org.jspecify..",
                        "java..")
                .check(PRODUCTION);
        noClasses()
                .should()
                .dependOnClassesThat(describe(
                        "Evener", type -> type.getFullName().matches("dev\\.evener\\.Evener(Builder)?(\\$.*)?")))
                .check(PRODUCTION);
    }
}
