package io.tidemark.broker;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which package may use which, and that the replica is pure: no I/O, thread, clock, chance, logger or vendor's type. */
class ArchitectureTest {
    private static final String BROKER = "io.tidemark.broker.";
    private static final String[] PURE = {
        "io.tidemark.broker.replica",
        "io.tidemark.model",
        "io.tidemark.model.metadata",
        "java.lang",
        "java.lang.invoke",
        "java.lang.runtime",
        "java.util",
        "java.util.function",
        "java.util.stream",
        "org.organicdesign.fp.."
    };

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.tidemark.broker");

    private static final ArchRule PURE_DEPENDENCIES = classes()
            .that()
            .resideInAPackage(BROKER + "replica")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(PURE);

    private static ArchRule nothingImpureOfTheBasics(String from) {
        return noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.(Thread.*|Process.*|Runtime|InheritableThreadLocal)")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.util\\.(Random|SplittableRandom|UUID|Timer.*|Date|Calendar|Scanner)")
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime");
    }

    /** Of the broker's own packages, {@code from} uses only {@code allowed} (and itself). */
    private static ArchRule uses(String from, String... allowed) {
        List<String> packages = new ArrayList<>(List.of(BROKER + from + ".."));
        for (String name : allowed) {
            packages.add(BROKER + name + "..");
        }
        return noClasses()
                .that()
                .resideInAPackage(BROKER + from + "..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.tidemark.broker..")
                        .and(not(resideInAnyPackage(packages.toArray(String[]::new)))));
    }

    private static ArchRule onlyIn(String vendor, String... packages) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(vendor);
    }

    @Test
    void theReplicaIsPure() {
        assertThat(MAIN).isNotEmpty();
        PURE_DEPENDENCIES.check(MAIN);
        nothingImpureOfTheBasics(BROKER + "replica").check(MAIN);
    }

    @Test
    void arrowsRunOneWay() {
        uses("replica").check(MAIN);
        uses("log").check(MAIN);
        uses("disk", "log").check(MAIN);
        uses("runtime", "replica", "log").check(MAIN);
        uses("net", "runtime", "log").check(MAIN);
        uses("quorum", "runtime").check(MAIN);
        // One transport below both ends of a connection, and the values of the core they speak of.
        uses("peer", "net", "runtime", "replica", "log").check(MAIN);
        // One adapter to Kafka's group coordinator.
        uses("group", "runtime", "replica", "log").check(MAIN);
        uses("api", "net", "runtime", "replica", "log", "group").check(MAIN);
        // Looks at what runs, and changes nothing.
        uses("health", "api", "runtime", "replica", "log").check(MAIN);
    }

    @Test
    void theQuorumModuleIsForTheSingleProcessNode() {
        onlyIn("io.tidemark.quorum..", BROKER + "app..").check(MAIN);
    }

    @Test
    void vendorsAreKeptInTheirPackages() {
        onlyIn("org.rocksdb..", BROKER + "disk..").check(MAIN);
        onlyIn("io.netty..", BROKER + "net..", BROKER + "peer..").check(MAIN);
        onlyIn("org.apache.ratis..", BROKER + "quorum..").check(MAIN);
        onlyIn("org.apache.kafka.coordinator..", BROKER + "group..", BROKER + "api..")
                .check(MAIN);
        onlyIn("org.apache.kafka.image..", BROKER + "group..").check(MAIN);
    }

    @Test
    void theRulesSeeWhatTheyForbid() {
        JavaClasses impure = new ClassFileImporter().importClasses(Impure.class);
        String here = Impure.class.getPackageName();
        assertThat(nothingImpureOfTheBasics(here).evaluate(impure).hasViolation())
                .isTrue();
        assertThat(onlyIn("org.rocksdb..", BROKER + "disk..").evaluate(impure).hasViolation())
                .isTrue();
        assertThat(uses("app").evaluate(MAIN).hasViolation()).isTrue();
    }

    /** A class as the replica's package must have none. */
    private static final class Impure {
        static long now(org.rocksdb.Options options) {
            return options.hashCode() + System.nanoTime();
        }
    }
}
