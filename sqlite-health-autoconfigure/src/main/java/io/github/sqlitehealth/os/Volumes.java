package io.github.sqlitehealth.os;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tells on which file system a file lies. Any thread may ask; a network mount that hangs holds it up. */
public final class Volumes {

    private static final Pattern OCTAL = Pattern.compile("\\\\([0-3][0-7]{2})");

    private final Path mountinfo;

    /** As on every Linux: {@code /proc}. */
    public Volumes() {
        this(Path.of("/proc"));
    }

    /** @param proc where the proc file system is mounted */
    public Volumes(Path proc) {
        this.mountinfo = proc.resolve("self").resolve("mountinfo");
    }

    /**
     * The volume of a file, or of the place where it would be if it existed.
     *
     * @throws IOException when the system cannot tell
     */
    public Volume of(Path file) throws IOException {
        return survey().of(file);
    }

    /** For many files: the mounts are read now, and each volume is asked once for its room. */
    public Survey survey() {
        return new Survey(mounts());
    }

    /** All volumes at one moment. Not thread-safe. */
    public static final class Survey {

        private final List<Mount> mounts;
        private final Map<String, Volume> asked = new HashMap<>();

        private Survey(List<Mount> mounts) {
            this.mounts = mounts;
        }

        /**
         * The volume of a file, or of the place where it would be if it existed.
         *
         * @throws IOException when the system cannot tell
         */
        public Volume of(Path file) throws IOException {
            Path real = RealPath.of(file);
            Mount mount = mount(real.toString());
            String key = mount == null ? String.valueOf(real.getParent()) : mount.point();
            Volume known = asked.get(key);
            if (known == null) {
                FileStore store = Files.getFileStore(existing(real));
                String type = mount == null ? store.type() : mount.type();
                String mountPoint = mount == null ? "" : mount.point();
                known = new Volume(type, mountPoint, store.getUsableSpace(), store.getTotalSpace());
                asked.put(key, known);
            }
            return known;
        }

        /** Of two mounts at one point the later one lies on top. */
        private @Nullable Mount mount(String real) {
            Mount best = null;
            for (Mount mount : mounts) {
                if (mount.holds(real)
                        && (best == null
                                || mount.point().length() >= best.point().length())) {
                    best = mount;
                }
            }
            return best;
        }
    }

    private static Path existing(Path real) {
        Path path = real;
        for (Path parent = path.getParent(); parent != null && !Files.exists(path); parent = path.getParent()) {
            path = parent;
        }
        return path;
    }

    private List<Mount> mounts() {
        try {
            return Files.readAllLines(mountinfo, ISO_8859_1).stream()
                    .map(Mount::parse)
                    .filter(Objects::nonNull)
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Blanks, line ends and backslashes stand in mountinfo as three octal digits. */
    static String unescape(String field) {
        String bytes = OCTAL.matcher(field).replaceAll(Volumes::octal);
        return new String(bytes.getBytes(ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static String octal(MatchResult escape) {
        String character = String.valueOf((char) Integer.parseInt(escape.group(1), 8));
        return character.equals("\\") ? "\\\\" : character.equals("$") ? "\\$" : character;
    }
}
