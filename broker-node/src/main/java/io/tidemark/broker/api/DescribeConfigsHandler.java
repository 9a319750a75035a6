package io.tidemark.broker.api;

import io.tidemark.broker.group.GroupConfigs;
import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.BrokerDefaults;
import io.tidemark.model.metadata.BrokerKeys;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.kafka.common.config.ConfigResource.Type;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeConfigsRequest;
import org.apache.kafka.common.requests.DescribeConfigsResponse;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/** DescribeConfigs: the effective values of topics and groups, and those of this broker or of the cluster's default. */
final class DescribeConfigsHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final int brokerId;
    private final Map<String, String> brokerConfig;
    private final TopicConfigs topicConfigs;
    private final GroupConfigs groups;

    DescribeConfigsHandler(
            Supplier<ClusterImage> image,
            int brokerId,
            Map<String, String> brokerConfig,
            TopicConfigs topicConfigs,
            GroupConfigs groups) {
        this.image = image;
        this.brokerId = brokerId;
        this.brokerConfig = brokerConfig;
        this.topicConfigs = topicConfigs;
        this.groups = groups;
    }

    @Override
    public void handle(Call call) {
        DescribeConfigsRequestData request = ((DescribeConfigsRequest) call.body()).data();
        ClusterImage now = image.get();
        DescribeConfigsResponseData response = new DescribeConfigsResponseData();
        for (DescribeConfigsResource resource : request.resources()) {
            response.results()
                    .add(describe(resource, request, now)
                            .setResourceType(resource.resourceType())
                            .setResourceName(resource.resourceName()));
        }
        call.respond(new DescribeConfigsResponse(response));
    }

    private DescribeConfigsResult describe(
            DescribeConfigsResource resource, DescribeConfigsRequestData request, ClusterImage now) {
        return switch (Type.forId(resource.resourceType())) {
            case TOPIC -> topic(resource, request, now);
            case BROKER -> broker(resource, request, now);
            case GROUP -> group(resource, request, now);
            default -> failed(Errors.INVALID_REQUEST, "the configuration of such resources cannot be described");
        };
    }

    private DescribeConfigsResult topic(
            DescribeConfigsResource resource, DescribeConfigsRequestData request, ClusterImage now) {
        String name = resource.resourceName();
        if (!Topic.isValid(name)) {
            return failed(Errors.INVALID_TOPIC_EXCEPTION, "there can be no topic of this name");
        }
        if (now.topic(name) == null) {
            return failed(Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no topic of this name");
        }
        List<DescribeConfigsResourceResult> entries = new ArrayList<>();
        for (TopicConfigs.Value value : topicConfigs.effective(now.configs(ConfigResource.topic(name)), now)) {
            if (asked(resource, value.key())) {
                entries.add(entry(
                                value.key(),
                                value.origins(),
                                ConfigType.valueOf(value.type().name()),
                                request)
                        .setDocumentation(request.includeDocumentation() ? value.documentation() : null));
            }
        }
        return new DescribeConfigsResult().setConfigs(entries);
    }

    private DescribeConfigsResult group(
            DescribeConfigsResource resource, DescribeConfigsRequestData request, ClusterImage now) {
        String name = resource.resourceName();
        if (name.isEmpty()) {
            return failed(Errors.INVALID_REQUEST, "Group name must not be empty");
        }
        Map<String, String> own = now.configs(new ConfigResource(ConfigResource.Type.GROUP, name));
        List<DescribeConfigsResourceResult> entries = new ArrayList<>();
        for (GroupConfigs.Key key : groups.keys()) {
            if (asked(resource, key.name())) {
                List<TopicConfigs.Origin> origins = new ArrayList<>();
                if (own.containsKey(key.name())) {
                    origins.add(new TopicConfigs.Origin(key.name(), own.get(key.name()), ConfigSource.GROUP_CONFIG));
                }
                if (key.brokers() != null) {
                    origins.add(
                            new TopicConfigs.Origin(key.brokerKey(), key.brokers(), ConfigSource.STATIC_BROKER_CONFIG));
                }
                origins.add(new TopicConfigs.Origin(key.brokerKey(), key.standard(), ConfigSource.DEFAULT_CONFIG));
                entries.add(
                        entry(key.name(), origins, ConfigType.valueOf(key.type().name()), request)
                                .setDocumentation(request.includeDocumentation() ? key.documentation() : null));
            }
        }
        return new DescribeConfigsResult().setConfigs(entries);
    }

    private DescribeConfigsResult broker(
            DescribeConfigsResource resource, DescribeConfigsRequestData request, ClusterImage now) {
        boolean clusterDefault = resource.resourceName().isEmpty();
        if (!clusterDefault && !resource.resourceName().equals(Integer.toString(brokerId))) {
            return failed(
                    Errors.INVALID_REQUEST,
                    "broker " + brokerId + " was asked for the configuration of " + resource.resourceName());
        }
        Map<String, List<TopicConfigs.Origin>> values = new TreeMap<>();
        if (!clusterDefault) {
            add(values, now.configs(ConfigResource.broker(brokerId)), ConfigSource.DYNAMIC_BROKER_CONFIG);
        }
        add(values, now.configs(ConfigResource.CLUSTER_DEFAULT), ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
        if (!clusterDefault) {
            add(values, brokerConfig, ConfigSource.STATIC_BROKER_CONFIG);
        }
        List<DescribeConfigsResourceResult> entries = new ArrayList<>();
        values.forEach((key, origins) -> {
            if (asked(resource, key)) {
                entries.add(entry(key, origins, ConfigType.UNKNOWN, request)
                        .setReadOnly(BrokerDefaults.topicKey(key) == null && !BrokerKeys.contains(key)));
            }
        });
        return new DescribeConfigsResult().setConfigs(entries);
    }

    private static void add(
            Map<String, List<TopicConfigs.Origin>> values, Map<String, String> more, ConfigSource source) {
        more.forEach((key, value) -> values.computeIfAbsent(key, added -> new ArrayList<>())
                .add(new TopicConfigs.Origin(key, value, source)));
    }

    private static boolean asked(DescribeConfigsResource resource, String key) {
        List<String> keys = resource.configurationKeys();
        return keys == null || keys.isEmpty() || keys.contains(key);
    }

    private static DescribeConfigsResourceResult entry(
            String key, List<TopicConfigs.Origin> origins, ConfigType type, DescribeConfigsRequestData request) {
        boolean sensitive = sensitive(key);
        DescribeConfigsResourceResult entry = new DescribeConfigsResourceResult()
                .setName(key)
                .setValue(sensitive ? null : origins.get(0).value())
                .setConfigSource(origins.get(0).source().id())
                .setConfigType(type.id())
                .setIsSensitive(sensitive);
        if (request.includeSynonyms()) {
            for (TopicConfigs.Origin origin : origins) {
                entry.synonyms()
                        .add(new DescribeConfigsSynonym()
                                .setName(origin.key())
                                .setValue(sensitive ? null : origin.value())
                                .setSource(origin.source().id()));
            }
        }
        return entry;
    }

    /** Keys whose values are secrets in Kafka's naming. */
    private static boolean sensitive(String key) {
        String lower = key.toLowerCase(Locale.ROOT);
        return lower.contains("password")
                || lower.contains("secret")
                || lower.endsWith("jaas.config")
                || lower.endsWith("keystore.key");
    }

    private static DescribeConfigsResult failed(Errors error, String message) {
        return new DescribeConfigsResult().setErrorCode(error.code()).setErrorMessage(message);
    }
}
