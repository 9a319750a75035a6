package io.tidemark.model.config;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a node does, as named in {@code process.roles}. A single-process node does both. */
public enum NodeRole {
    CONTROLLER,
    BROKER;

    /** The role's name in {@code process.roles}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Reads {@code process.roles}; notes a problem unless {@code own} is among them. */
    static Set<NodeRole> read(ConfigReader reader, NodeRole own) {
        Set<NodeRole> roles = reader.required("process.roles", EnumSet.of(own), NodeRole::parseList);
        if (!roles.contains(own)) {
            reader.problem("process.roles must contain '" + own.text() + "' for this process");
        }
        return roles;
    }

    static Set<NodeRole> parseList(String text) {
        EnumSet<NodeRole> roles = EnumSet.noneOf(NodeRole.class);
        for (String part : text.split(",", -1)) {
            roles.add(parse(part.strip()));
        }
        return roles;
    }

    private static NodeRole parse(String text) {
        for (NodeRole role : values()) {
            if (role.text().equals(text)) {
                return role;
            }
        }
        throw new IllegalArgumentException("expected broker, controller or both, separated by a comma");
    }
}
