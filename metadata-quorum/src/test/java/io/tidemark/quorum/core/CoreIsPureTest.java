package io.tidemark.quorum.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the core may not do: it has no I/O, thread, clock, chance, logger or vendor's type, and no state of its own. */
class CoreIsPureTest {
    private static final String[] ALLOWED = {
        "io.tidemark.quorum.core",
        "io.tidemark.model",
        "io.tidemark.model.metadata",
        "java.lang",
        "java.lang.invoke",
        "java.util",
        "java.util.function",
        "java.util.stream",
        "org.organicdesign.fp.."
    };

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.tidemark.quorum.core");

    /** Of the packages above, what reads a clock, draws chance or starts something. */
    private static ArchRule nothingImpureOfTheBasics() {
        return noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.(System|Thread.*|Process.*|Runtime.*|InheritableThreadLocal)")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.util\\.(Random|SplittableRandom|UUID|Timer.*|Date|Calendar|Scanner)");
    }

    @Test
    void dependsOnValuesOnly() {
        assertThat(CORE).isNotEmpty();
        classes().should().onlyDependOnClassesThat().resideInAnyPackage(ALLOWED).check(CORE);
        nothingImpureOfTheBasics().check(CORE);
        noClasses().should().callMethod(Math.class, "random").check(CORE);
        noClasses()
                .should()
                .callMethod(java.util.Collections.class, "shuffle", List.class)
                .check(CORE);
    }

    @Test
    void theRuleSeesWhatItForbids() {
        JavaClasses impure = new ClassFileImporter().importClasses(Impure.class);
        assertThat(nothingImpureOfTheBasics().evaluate(impure).hasViolation()).isTrue();
        assertThat(classes()
                        .should()
                        .onlyDependOnClassesThat()
                        .resideInAnyPackage(ALLOWED)
                        .evaluate(impure)
                        .hasViolation())
                .isTrue();
    }

    @Test
    void hasNoStaticStateThatChanges() {
        for (JavaClass type : CORE) {
            for (Field field : type.reflect().getDeclaredFields()) {
                boolean isStatic = Modifier.isStatic(field.getModifiers());
                assertThat(isStatic && !Modifier.isFinal(field.getModifiers()))
                        .as(field.toString())
                        .isFalse();
            }
        }
        assertThat(Arrays.stream(Impure.class.getDeclaredFields())
                        .anyMatch(field -> !Modifier.isFinal(field.getModifiers())))
                .isTrue();
    }

    /** A class as the core must have none. */
    private static final class Impure {
        private static long last;

        static long now(File file) {
            last = file.length() + System.nanoTime();
            return last;
        }
    }
}
