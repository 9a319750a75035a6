package io.tidemark.broker.api;

import io.tidemark.broker.group.Groups;
import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ConsumerGroupDescribeRequest;
import org.apache.kafka.common.requests.ConsumerGroupDescribeResponse;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;
import org.apache.kafka.common.requests.DeleteGroupsRequest;
import org.apache.kafka.common.requests.DeleteGroupsResponse;
import org.apache.kafka.common.requests.DescribeGroupsRequest;
import org.apache.kafka.common.requests.DescribeGroupsResponse;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;
import org.apache.kafka.common.requests.ListGroupsRequest;
import org.apache.kafka.common.requests.ListGroupsResponse;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.requests.SyncGroupResponse;
import org.apache.kafka.common.utils.BufferSupplier;

/**
 * Registers the APIs of consumer groups. Most are the coordinator's answer as it is; those that name topics have a
 * handler of their own.
 */
public final class GroupApis {
    private final GroupCalls calls;
    private final Groups groups;

    private GroupApis(Groups groups) {
        this.groups = groups;
        this.calls = new GroupCalls(groups);
    }

    /** @param image the cluster as this broker has applied it */
    public static ApiDispatcher.Builder register(
            ApiDispatcher.Builder apis, Supplier<ClusterImage> image, int brokerId, Groups groups) {
        GroupApis handlers = new GroupApis(groups);
        return apis.register(ApiKeys.FIND_COORDINATOR, new FindCoordinatorHandler(image, brokerId, groups))
                .register(ApiKeys.JOIN_GROUP, handlers::join)
                .register(ApiKeys.SYNC_GROUP, handlers::sync)
                .register(ApiKeys.HEARTBEAT, handlers::heartbeat)
                .register(ApiKeys.LEAVE_GROUP, handlers::leave)
                .register(ApiKeys.CONSUMER_GROUP_HEARTBEAT, handlers.ofConsumerProtocol(handlers::consumerHeartbeat))
                .register(ApiKeys.CONSUMER_GROUP_DESCRIBE, handlers.ofConsumerProtocol(handlers::consumerDescribe))
                .register(ApiKeys.DESCRIBE_GROUPS, handlers::describe)
                .register(ApiKeys.LIST_GROUPS, handlers::list)
                .register(ApiKeys.DELETE_GROUPS, handlers::delete)
                .register(ApiKeys.OFFSET_COMMIT, new OffsetCommitHandler(image, handlers.calls))
                .register(ApiKeys.OFFSET_FETCH, new OffsetFetchHandler(image, handlers.calls))
                .register(ApiKeys.OFFSET_DELETE, new OffsetDeleteHandler(image, handlers.calls));
    }

    /** Where the protocol is switched off its requests are offered all the same, and refused one by one, as Kafka does. */
    private ApiHandler ofConsumerProtocol(ApiHandler handler) {
        return groups.offersConsumerProtocol()
                ? handler
                : call -> call.respond(call.body().getErrorResponse(0, Errors.UNSUPPORTED_VERSION.exception()));
    }

    private void join(Call call) {
        JoinGroupRequest request = (JoinGroupRequest) call.body();
        calls.answer(
                call,
                (coordinator, context) -> coordinator.joinGroup(context, request.data(), BufferSupplier.NO_CACHING),
                data -> new JoinGroupResponse(data, request.version()));
    }

    private void sync(Call call) {
        SyncGroupRequest request = (SyncGroupRequest) call.body();
        if (!request.areMandatoryProtocolTypeAndNamePresent()) {
            call.respond(request.getErrorResponse(0, Errors.INCONSISTENT_GROUP_PROTOCOL.exception()));
            return;
        }
        calls.answer(
                call,
                (coordinator, context) -> coordinator.syncGroup(context, request.data(), BufferSupplier.NO_CACHING),
                SyncGroupResponse::new);
    }

    private void heartbeat(Call call) {
        HeartbeatRequest request = (HeartbeatRequest) call.body();
        calls.answer(
                call, (coordinator, context) -> coordinator.heartbeat(context, request.data()), HeartbeatResponse::new);
    }

    private void leave(Call call) {
        LeaveGroupRequest request = (LeaveGroupRequest) call.body();
        calls.answer(
                call,
                (coordinator, context) -> coordinator.leaveGroup(context, request.normalizedData()),
                data -> new LeaveGroupResponse(data, request.version()));
    }

    private void consumerHeartbeat(Call call) {
        ConsumerGroupHeartbeatRequest request = (ConsumerGroupHeartbeatRequest) call.body();
        calls.answer(
                call,
                (coordinator, context) -> coordinator.consumerGroupHeartbeat(context, request.data()),
                ConsumerGroupHeartbeatResponse::new);
    }

    private void consumerDescribe(Call call) {
        ConsumerGroupDescribeRequest request = (ConsumerGroupDescribeRequest) call.body();
        calls.answer(
                call,
                (coordinator, context) -> coordinator.consumerGroupDescribe(
                        context, request.data().groupIds()),
                (List<ConsumerGroupDescribeResponseData.DescribedGroup> described) -> {
                    if (request.data().includeAuthorizedOperations()) {
                        described.stream()
                                .filter(group -> group.errorCode() == Errors.NONE.code())
                                .forEach(group -> group.setAuthorizedOperations(Permissions.GROUP));
                    }
                    return new ConsumerGroupDescribeResponse(
                            new ConsumerGroupDescribeResponseData().setGroups(described));
                });
    }

    private void describe(Call call) {
        DescribeGroupsRequest request = (DescribeGroupsRequest) call.body();
        calls.answer(
                call,
                (coordinator, context) ->
                        coordinator.describeGroups(context, request.data().groups()),
                (List<DescribeGroupsResponseData.DescribedGroup> described) -> {
                    if (request.data().includeAuthorizedOperations()) {
                        described.stream()
                                .filter(group -> group.errorCode() == Errors.NONE.code())
                                .forEach(group -> group.setAuthorizedOperations(Permissions.GROUP));
                    }
                    return new DescribeGroupsResponse(new DescribeGroupsResponseData().setGroups(described));
                });
    }

    /** Where no group was ever used there are none: that is an answer, not a reason to ask again. */
    private void list(Call call) {
        ListGroupsRequest request = (ListGroupsRequest) call.body();
        if (groups.neverUsed()) {
            call.respond(new ListGroupsResponse(new ListGroupsResponseData()));
            return;
        }
        calls.answer(
                call,
                (coordinator, context) -> coordinator.listGroups(context, request.data()),
                ListGroupsResponse::new);
    }

    private void delete(Call call) {
        DeleteGroupsRequest request = (DeleteGroupsRequest) call.body();
        calls.answer(
                call,
                (coordinator, context) -> coordinator.deleteGroups(
                        context,
                        request.data().groupsNames().stream().distinct().toList(),
                        BufferSupplier.NO_CACHING),
                results -> new DeleteGroupsResponse(new DeleteGroupsResponseData().setResults(results)));
    }
}
