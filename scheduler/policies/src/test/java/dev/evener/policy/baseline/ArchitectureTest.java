package dev.evener.policy.baseline;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** What a policy may rest on. */
class ArchitectureTest {
    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .importUrl(Factoring.class.getProtectionDomain().getCodeSource().getLocation());

    /** No threads, files or clocks; nor the rest of Evener. */
    @Test
    void policiesArePure() {
        assertTrue(PRODUCTION.contain("dev.evener.policy.baseline.Factoring"));
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.evener.policy..",
                        "org.jspecify..",
                        "java.lang",
                        "java.lang.invoke",
                        "java.util",
                        "java.util.function",
                        "java.util.stream")
                .check(PRODUCTION);
    }
}
