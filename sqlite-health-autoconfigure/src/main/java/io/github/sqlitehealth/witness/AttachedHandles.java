package io.github.sqlitehealth.witness;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The application's connections to a database that they have attached beside the one they were opened on. */
public final class AttachedHandles implements LiveHandles {

    private static final Set<String> OWN = Set.of(HandleFacts.MAIN, "temp");

    private final LiveHandles owner;
    private final Path file;

    /**
     * @param owner gives connections to the database that this one is attached to
     */
    public AttachedHandles(LiveHandles owner, Path file) {
        this.owner = owner;
        this.file = file;
    }

    /** The attached databases of a connection: name by file. Those in memory have none. */
    static Map<Path, String> of(Connection connection) throws SQLException {
        Map<Path, String> attached = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet databases = statement.executeQuery("PRAGMA database_list")) {
            while (databases.next()) {
                String name = databases.getString("name");
                String path = databases.getString("file");
                if (!OWN.contains(name) && path != null && !path.isEmpty()) {
                    attached.put(Path.of(path), name);
                }
            }
        }
        return attached;
    }

    @Override
    public @Nullable LiveHandle take(Set<String> not) throws SQLException {
        Set<String> asked = new HashSet<>(not);
        while (true) {
            LiveHandle handle = owner.take(asked);
            if (handle == null) {
                return null;
            }
            asked.add(handle.name());
            String schema = schema(handle);
            if (schema != null) {
                return new LiveHandle(handle.name(), handle.connection(), schema, handle.spare(), handle.giveBack());
            }
            handle.close();
        }
    }

    private @Nullable String schema(LiveHandle handle) throws SQLException {
        try {
            return of(handle.connection()).get(file);
        } catch (SQLException ex) {
            handle.close();
            throw ex;
        }
    }

    @Override
    public boolean replaceAll() {
        return owner.replaceAll();
    }

    @Override
    public Set<String> open() {
        return owner.open();
    }

    @Override
    public boolean mayBeOpen() {
        return owner.mayBeOpen();
    }

    /** All of them, since a setting of a connection is one for everything that it has attached. */
    @Override
    public @Nullable List<Connection> connections() {
        return owner.connections();
    }
}
