package io.github.sqlitehealth.os;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        Path real = RealPath.of(file);
        FileStore store = Files.getFileStore(existing(real));
        Mount mount = mount(real);
        String type = mount == null ? store.type() : mount.type();
        String mountPoint = mount == null ? "" : mount.point();
        return new Volume(type, mountPoint, store.getUsableSpace(), store.getTotalSpace());
    }

    private static Path existing(Path real) {
        Path path = real;
        for (Path parent = path.getParent(); parent != null && !Files.exists(path); parent = path.getParent()) {
            path = parent;
        }
        return path;
    }

    private record Mount(String point, String type) {}

    private @Nullable Mount mount(Path real) {
        List<String> lines;
        try {
            lines = Files.readAllLines(mountinfo, ISO_8859_1);
        } catch (IOException e) {
            return null;
        }
        Mount best = null;
        for (String line : lines) {
            Mount mount = parse(line);
            // Of two mounts at one point the later one lies on top.
            if (mount != null
                    && contains(mount.point(), real.toString())
                    && (best == null || mount.point().length() >= best.point().length())) {
                best = mount;
            }
        }
        return best;
    }

    /** {@code 36 35 98:0 /root /mount/point rw,noatime master:1 - ext3 /dev/root rw}, with any number of fields before the dash. */
    private static @Nullable Mount parse(String line) {
        int dash = line.indexOf(" - ");
        String[] before = line.split(" ");
        if (dash < 0 || before.length < 5) {
            return null;
        }
        return new Mount(unescape(before[4]), unescape(line.substring(dash + 3).split(" ")[0]));
    }

    private static boolean contains(String point, String path) {
        return path.startsWith(point)
                && (point.endsWith("/") || path.length() == point.length() || path.charAt(point.length()) == '/');
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
