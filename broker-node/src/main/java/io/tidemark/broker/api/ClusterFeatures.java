package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.feature.Features;
import org.apache.kafka.common.feature.SupportedVersionRange;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.UpdateFeaturesRequest;
import org.apache.kafka.common.requests.UpdateFeaturesResponse;

/**
 * What Kafka makes a matter of levels that an administrator raises: eligible leader replicas, groups of the consumer
 * protocol, and which records the controllers write (here the metadata level). There has been one level of each so far; it
 * cannot be changed, and asking for it is no change.
 */
final class ClusterFeatures {
    private static final short LEVEL = 1;
    private static final Map<String, Short> LEVELS =
            Map.of("eligible.leader.replicas.version", LEVEL, "group.version", LEVEL, "tidemark.metadata.level", LEVEL);

    /** Levels never change; clients take -1 for not known. */
    private static final long EPOCH = 0;

    private ClusterFeatures() {}

    static void tell(ApiVersionsResponse.Builder response) {
        Map<String, SupportedVersionRange> ranges = new HashMap<>();
        LEVELS.forEach((feature, level) -> ranges.put(feature, new SupportedVersionRange(level, level)));
        response.setSupportedFeatures(Features.supportedFeatures(ranges))
                .setFinalizedFeatures(LEVELS)
                .setFinalizedFeaturesEpoch(EPOCH);
    }

    /** UpdateFeatures. */
    static void update(Call call) {
        UpdateFeaturesRequest request = (UpdateFeaturesRequest) call.body();
        ApiError error = ApiError.NONE;
        for (UpdateFeaturesRequest.FeatureUpdateItem update : request.featureUpdates()) {
            Short level = LEVELS.get(update.feature());
            if (level == null) {
                error = new ApiError(Errors.INVALID_UPDATE_VERSION, "there is no feature " + update.feature());
            } else if (level != update.versionLevel()) {
                error = new ApiError(
                        Errors.INVALID_UPDATE_VERSION,
                        "the level of " + update.feature() + " is " + level + ", the only one there is");
            }
        }
        call.respond(
                UpdateFeaturesResponse.createWithErrors(error, error.isFailure() ? Set.of() : featuresOf(request), 0));
    }

    private static Set<String> featuresOf(UpdateFeaturesRequest request) {
        Set<String> features = new TreeSet<>();
        request.featureUpdates().forEach(update -> features.add(update.feature()));
        return features;
    }
}
