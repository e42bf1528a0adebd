package io.github.sqlitehealth.actuate;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Refuses a request to act that holds a key which nobody knows. Boot drops such keys, so that a typing error would ask
 * for something else than what was meant.
 */
public final class UnknownKeys implements OperationInvokerAdvisor {

    private static final EndpointId OURS = EndpointId.of(SqliteForensicsEndpoint.ID);

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(OURS) || type != OperationType.WRITE) {
            return invoker;
        }
        Set<String> known = parameters.stream().map(OperationParameter::getName).collect(Collectors.toSet());
        return context -> {
            Set<String> unknown = new TreeSet<>(context.getArguments().keySet());
            unknown.removeAll(known);
            return unknown.isEmpty() ? invoker.invoke(context) : refuse(unknown);
        };
    }

    private static WebEndpointResponse<Map<String, Object>> refuse(Set<String> unknown) {
        return new WebEndpointResponse<>(
                Map.of("error", "Nobody knows " + unknown + "; send \"check\" or \"accept\"."),
                WebEndpointResponse.STATUS_BAD_REQUEST);
    }
}
