package io.github.sqlitehealth.os;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What this process holds open, for those who look for the files of one database among thousands. */
public final class OpenFiles {

    private final Map<FileId, List<Descriptor>> byId = new HashMap<>();
    private final Map<String, List<Descriptor>> byName = new HashMap<>();

    OpenFiles(Collection<Descriptor> held) {
        for (Descriptor descriptor : held) {
            byId.computeIfAbsent(descriptor.id(), any -> new ArrayList<>(2)).add(descriptor);
            byName.computeIfAbsent(descriptor.name(), any -> new ArrayList<>(2)).add(descriptor);
            if (descriptor.deleted()) {
                // It may also be a file that is really called so.
                byName.computeIfAbsent(descriptor.link(), any -> new ArrayList<>(2))
                        .add(descriptor);
            }
        }
    }

    /** The descriptors that are on one of these files, or were opened under one of these names. */
    public List<Descriptor> on(Set<FileId> ids, Collection<String> names) {
        Set<Descriptor> found = new LinkedHashSet<>();
        ids.forEach(id -> found.addAll(byId.getOrDefault(id, List.of())));
        names.forEach(name -> found.addAll(byName.getOrDefault(name, List.of())));
        return List.copyOf(found);
    }
}
