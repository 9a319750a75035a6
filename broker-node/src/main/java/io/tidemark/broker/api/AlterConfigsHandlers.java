package io.tidemark.broker.api;

import io.tidemark.broker.group.GroupConfigs;
import io.tidemark.broker.net.Call;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.BrokerDefaults;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.ConfigChange;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigResource.Type;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AlterConfigsRequest;
import org.apache.kafka.common.requests.AlterConfigsResponse;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.common.requests.IncrementalAlterConfigsResponse;

/**
 * IncrementalAlterConfigs, and the older AlterConfigs, which sets a resource's keys all at once: of topics, of groups, of
 * brokers and of the cluster's default, at any broker.
 */
final class AlterConfigsHandlers {
    /** Neither request says how long its client waits. */
    private static final int TIMEOUT_MS = 30_000;

    private final QuorumRequest quorum;
    private final Supplier<ClusterImage> image;
    private final GroupConfigs groups;

    AlterConfigsHandlers(QuorumRequest quorum, Supplier<ClusterImage> image, GroupConfigs groups) {
        this.quorum = quorum;
        this.image = image;
        this.groups = groups;
    }

    /** One resource of either request; {@code problem} is why its edits could not be read, or null. */
    private record Wish(byte type, String name, boolean replace, List<ConfigEdit> edits, String problem) {
        Wish(byte type, String name, boolean replace) {
            this(type, name, replace, new ArrayList<>(), null);
        }

        Wish failed(String why) {
            return new Wish(type, name, replace, edits, why);
        }
    }

    void incrementally(Call call) {
        IncrementalAlterConfigsRequestData request = ((IncrementalAlterConfigsRequest) call.body()).data();
        List<Wish> wishes = new ArrayList<>();
        for (AlterConfigsResource resource : request.resources()) {
            Wish wish = new Wish(resource.resourceType(), resource.resourceName(), false);
            for (AlterableConfig config : resource.configs()) {
                OpType operation = OpType.forId(config.configOperation());
                if (operation == null) {
                    wish = wish.failed("Unknown operation " + config.configOperation() + " for " + config.name());
                } else if (config.value() == null && operation != OpType.DELETE) {
                    wish = wish.failed("Null value not supported for : " + config.name());
                } else {
                    String value = operation == OpType.DELETE ? "" : config.value();
                    wish.edits().add(new ConfigEdit(ConfigEdit.Kind.valueOf(operation.name()), config.name(), value));
                }
            }
            wishes.add(wish);
        }
        change(call, wishes, request.validateOnly(), outcomes -> {
            IncrementalAlterConfigsResponseData response = new IncrementalAlterConfigsResponseData();
            for (int i = 0; i < wishes.size(); i++) {
                response.responses()
                        .add(new IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse()
                                .setResourceType(wishes.get(i).type())
                                .setResourceName(wishes.get(i).name())
                                .setErrorCode(outcomes.get(i).error().code())
                                .setErrorMessage(outcomes.get(i).message()));
            }
            call.respond(new IncrementalAlterConfigsResponse(response));
        });
    }

    void wholly(Call call) {
        AlterConfigsRequestData request = ((AlterConfigsRequest) call.body()).data();
        List<Wish> wishes = new ArrayList<>();
        for (AlterConfigsRequestData.AlterConfigsResource resource : request.resources()) {
            Wish wish = new Wish(resource.resourceType(), resource.resourceName(), true);
            for (AlterConfigsRequestData.AlterableConfig config : resource.configs()) {
                if (config.value() == null) {
                    wish = wish.failed("Null value not supported for : " + config.name());
                } else {
                    wish.edits().add(new ConfigEdit(ConfigEdit.Kind.SET, config.name(), config.value()));
                }
            }
            wishes.add(wish);
        }
        change(call, wishes, request.validateOnly(), outcomes -> {
            AlterConfigsResponseData response = new AlterConfigsResponseData();
            for (int i = 0; i < wishes.size(); i++) {
                response.responses()
                        .add(new AlterConfigsResponseData.AlterConfigsResourceResponse()
                                .setResourceType(wishes.get(i).type())
                                .setResourceName(wishes.get(i).name())
                                .setErrorCode(outcomes.get(i).error().code())
                                .setErrorMessage(outcomes.get(i).message()));
            }
            call.respond(new AlterConfigsResponse(response));
        });
    }

    private void change(
            Call call, List<Wish> wishes, boolean validateOnly, Consumer<List<TopicChange.Outcome>> respond) {
        TopicChange<ConfigChange> change = new TopicChange<>();
        Map<Map.Entry<Byte, String>, Integer> named = new HashMap<>();
        wishes.forEach(wish -> named.merge(Map.entry(wish.type(), wish.name()), 1, Integer::sum));
        for (Wish wish : wishes) {
            if (named.get(Map.entry(wish.type(), wish.name())) > 1) {
                refuse(change, wish, Errors.INVALID_REQUEST, "Each resource must appear at most once.");
            } else {
                ask(change, wish);
            }
        }
        if (wishes.size() > TopicChange.MAX_PER_REQUEST) {
            change.refuseAll(
                    Errors.POLICY_VIOLATION, TopicChange.MAX_PER_REQUEST + " resources may be changed at once");
        }
        String client = call.header().clientId();
        change.submit(quorum, TIMEOUT_MS, rows -> new QuorumCommand.AlterConfigs(rows, validateOnly, client), respond);
    }

    private void ask(TopicChange<ConfigChange> change, Wish wish) {
        Set<String> keys = new HashSet<>();
        wish.edits().forEach(edit -> keys.add(edit.key()));
        if (wish.problem() != null) {
            refuse(change, wish, Errors.INVALID_REQUEST, wish.problem());
        } else if (keys.size() < wish.edits().size()) {
            refuse(change, wish, Errors.INVALID_REQUEST, "Error due to duplicate config keys");
        } else if (Type.forId(wish.type()) == Type.TOPIC) {
            ConfigResource topic = ConfigResource.topic(wish.name());
            String problem = TopicConfigs.problem(whole(wish, image.get().configs(topic)));
            if (wish.name().isEmpty()) {
                refuse(change, wish, Errors.INVALID_REQUEST, "Default topic resources are not allowed.");
            } else if (problem != null) {
                refuse(change, wish, Errors.INVALID_CONFIG, problem);
            } else {
                submit(change, wish, topic);
            }
        } else if (Type.forId(wish.type()) == Type.GROUP) {
            ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, wish.name());
            Optional<String> problem = groups.problem(whole(wish, image.get().configs(group)));
            if (problem.isPresent()) {
                refuse(change, wish, Errors.INVALID_CONFIG, problem.get());
            } else {
                submit(change, wish, group);
            }
        } else if (Type.forId(wish.type()) == Type.BROKER) {
            ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, wish.name());
            String problem = defaultsProblem(wish, broker);
            if (problem != null) {
                refuse(change, wish, Errors.INVALID_CONFIG, problem);
            } else {
                submit(change, wish, broker);
            }
        } else {
            refuse(change, wish, Errors.INVALID_REQUEST, "the configuration of such resources cannot be changed");
        }
    }

    /**
     * What would come out, which is judged as a whole, since values limit each other. By Kafka's own rules; those that need
     * the cluster are the controllers', and so are the edits of lists.
     */
    private static Map<String, String> whole(Wish wish, Map<String, String> before) {
        Map<String, String> whole = new HashMap<>(wish.replace() ? Map.of() : before);
        for (ConfigEdit edit : wish.edits()) {
            if (edit.kind() == ConfigEdit.Kind.DELETE) {
                whole.remove(edit.key());
            } else if (edit.kind() == ConfigEdit.Kind.SET) {
                whole.put(edit.key(), edit.value());
            }
        }
        return whole;
    }

    /** What topics would fall back to at that broker, or at all of them, judged as if a topic had it. Null if it may be. */
    private String defaultsProblem(Wish wish, ConfigResource broker) {
        if (wish.edits().stream().noneMatch(edit -> BrokerDefaults.topicKey(edit.key()) != null)) {
            return null;
        }
        Map<String, String> values = new HashMap<>();
        if (!broker.equals(ConfigResource.CLUSTER_DEFAULT)) {
            values.putAll(image.get().configs(ConfigResource.CLUSTER_DEFAULT));
        }
        values.putAll(whole(wish, image.get().configs(broker)));
        Map<String, String> topics = new HashMap<>();
        values.forEach((key, value) -> {
            String topicKey = BrokerDefaults.topicKey(key);
            if (topicKey != null) {
                topics.put(topicKey, value);
            }
        });
        return TopicConfigs.problem(topics);
    }

    private static void submit(TopicChange<ConfigChange> change, Wish wish, ConfigResource resource) {
        change.ask(wish.name(), TopicId.ZERO, new ConfigChange(resource, wish.replace(), wish.edits()));
    }

    private static void refuse(TopicChange<ConfigChange> change, Wish wish, Errors error, String message) {
        change.refuse(wish.name(), TopicId.ZERO, error, message);
    }
}
