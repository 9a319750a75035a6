package io.tidemark.model.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One controller of the quorum and where it is reached, written {@code id@host:port}.
 *
 * @param id node id, 0 or more
 * @param port 1 to 65535
 */
public record QuorumVoter(int id, String host, int port) {
    private static final String EXPECTED = "expected id@host:port, separated by commas";

    /** Reads {@code 1@host:port,2@host:port}; throws IllegalArgumentException on anything else, or a repeated id. */
    public static List<QuorumVoter> parseList(String text) {
        List<QuorumVoter> voters = new ArrayList<>();
        Set<Integer> ids = new HashSet<>();
        for (String part : text.split(",", -1)) {
            QuorumVoter voter = parse(part.strip());
            if (!ids.add(voter.id)) {
                throw new IllegalArgumentException("node " + voter.id + " is named twice");
            }
            voters.add(voter);
        }
        return List.copyOf(voters);
    }

    private static QuorumVoter parse(String text) {
        int at = text.indexOf('@');
        if (at < 1) {
            throw new IllegalArgumentException(EXPECTED);
        }
        HostPort address = HostPort.parse(text.substring(at + 1));
        try {
            int id = Integer.parseInt(text.substring(0, at));
            if (id >= 0 && !address.host().isEmpty() && address.port() > 0) {
                return new QuorumVoter(id, address.host(), address.port());
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(EXPECTED, e);
        }
        throw new IllegalArgumentException(EXPECTED);
    }

    /** {@code host:port}, with brackets around an IPv6 address. */
    public String address() {
        return new HostPort(host, port).toString();
    }

    @Override
    public String toString() {
        return id + "@" + address();
    }
}
