package dev.evener.internal.lane;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.evener.Access;
import org.jocl.CL;
import org.junit.jupiter.api.Test;

/** The boundaries between this module's packages. */
class ArchitectureTest {
    /** Of this module only, whatever else is on the class path. */
    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .importUrl(OpenClDevices.class.getProtectionDomain().getCodeSource().getLocation());

    private static final String CL_PACKAGE = "dev.evener.internal.cl..";

    @Test
    void thereIsSomethingToCheck() {
        assertTrue(PRODUCTION.contain("dev.evener.internal.cl.Cl"));
        assertFalse(PRODUCTION.contain(ArchitectureTest.class), "test classes are not under these rules");
        assertFalse(PRODUCTION.contain("dev.evener.Evener"), "nor are those of the scheduler");
    }

    @Test
    void onlyOnePackageTalksToJocl() {
        ArchRule rule = noClasses()
                .that()
                .resideOutsideOfPackage(CL_PACKAGE)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.jocl..");
        rule.check(PRODUCTION);
        JavaClasses culprit = new ClassFileImporter().importClasses(UsesJocl.class);
        assertThrows(AssertionError.class, () -> rule.check(culprit));
    }

    @Test
    void lanesStandOnMemoryAndThatOnCl() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("lane")
                .definedBy("dev.evener.internal.lane..")
                .layer("memory")
                .definedBy("dev.evener.internal.memory..")
                .layer("cl")
                .definedBy(CL_PACKAGE)
                .whereLayer("lane")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("memory")
                .mayOnlyBeAccessedByLayers("lane")
                .check(PRODUCTION);
    }

    /** What units have of a buffer is a {@code Layout} once the job is built: nobody asks afterwards what its access was. */
    @Test
    void accessesAreAskedWhereJobsAreBuilt() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(
                        Access.Slice.class,
                        Access.Halo.class,
                        Access.Parts.class,
                        Access.Whole.class,
                        Access.Append.class,
                        Access.Count.class)
                .check(PRODUCTION);
    }

    static final class UsesJocl {
        Class<?> type() {
            return CL.class;
        }
    }
}
