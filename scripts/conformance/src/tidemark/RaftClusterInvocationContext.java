package org.apache.kafka.common.test.junit;

import io.tidemark.conformance.TidemarkInstance;
import java.util.List;
import org.apache.kafka.common.test.api.ClusterConfig;
import org.apache.kafka.common.utils.Exit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/**
 * Stands before Kafka's class of this name on the class path, and so gives its cluster tests a Tidemark cluster: made
 * before each test, stopped right after it.
 */
public class RaftClusterInvocationContext implements TestTemplateInvocationContext {
    private final String name;
    private final ClusterConfig config;
    private final boolean combined;

    public RaftClusterInvocationContext(String name, ClusterConfig config, boolean combined) {
        this.name = name;
        this.config = config;
        this.combined = combined;
    }

    @Override
    public String getDisplayName(int invocation) {
        return name + " [" + invocation + "] Type=Raft-" + (combined ? "Combined" : "Isolated");
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        TidemarkInstance instance = new TidemarkInstance(config, combined);
        return List.of(
                (BeforeEachCallback) context -> {
                    // A tool that a test runs must not end the process with the tests that come after it.
                    Exit.setExitProcedure((status, message) -> {
                        throw new IllegalStateException("a tool ended with status " + status);
                    });
                    instance.format();
                    if (config.isAutoStart()) {
                        instance.start();
                    }
                },
                (TestExecutionExceptionHandler) (context, failure) -> {
                    throw instance.explain(failure);
                },
                (AfterTestExecutionCallback) context -> instance.stop(),
                // After a failure before the test.
                (AfterEachCallback) context -> instance.stop(),
                new ClusterInstanceParameterResolver(instance));
    }
}
