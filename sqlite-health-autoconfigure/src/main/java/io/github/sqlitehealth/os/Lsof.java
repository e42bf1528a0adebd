package io.github.sqlitehealth.os;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks {@code lsof}, and reads its answer in the form that is meant for programs (option {@code -F}). */
final class Lsof {

    /** Of a process: number, command, user number and name; of a file: descriptor, lock, type, device, inode, name, size, links. */
    private static final String FIELDS = "-FpcuLftiDnlsk";

    private static final Charset OF_FILE_NAMES = charsetOfFileNames();

    private final String program;

    Lsof(String program) {
        this.program = program;
    }

    /** @param links the number of names, -1 when it is not told */
    record OpenFile(Descriptor descriptor, long links, List<PosixLock> locks) {}

    record OpenFiles(long pid, String command, @Nullable String user, List<OpenFile> files) {}

    /** @param ended whether lsof came to its end within the limit */
    record Answer(List<OpenFiles> processes, boolean ended) {}

    /** The files that one process holds, also those that have lost their names. */
    Answer ofProcess(long pid, Deadline deadline) throws IOException {
        return ask(List.of("-a", "-p", Long.toString(pid)), deadline);
    }

    /** Who holds these files; and, since a file without a name cannot be asked for by name, who holds any such file. */
    Answer ofFiles(List<String> paths, Deadline deadline) throws IOException {
        List<String> options = new ArrayList<>(List.of("+L1", "--"));
        options.addAll(paths);
        return ask(options, deadline);
    }

    private Answer ask(List<String> options, Deadline deadline) throws IOException {
        // -w: no warnings; -n, -P: never ask a name server about the sockets that are listed on the way
        List<String> command = new ArrayList<>(List.of(program, "-w", "-n", "-P", FIELDS));
        command.addAll(options);
        Program.Output output = Program.run(command, deadline);
        List<OpenFiles> processes = parse(output.text());
        if (output.ended() && processes.isEmpty() && output.code() > 1) {
            throw new IOException(program + " failed with exit code " + output.code());
        }
        return new Answer(processes, output.ended());
    }

    /** Each line is a letter and a value; {@code p} begins a process and {@code f} a file of it. */
    static List<OpenFiles> parse(String text) {
        List<OpenFiles> processes = new ArrayList<>();
        Fields process = new Fields();
        Fields file = new Fields();
        List<OpenFile> files = new ArrayList<>();
        for (String line : (text + "p").split("\\R")) {
            char letter = line.isEmpty() ? ' ' : line.charAt(0);
            if (letter == 'p' || letter == 'f') {
                file.addTo(files);
                file = new Fields();
            }
            if (letter == 'p') {
                process.addTo(processes, files);
                process = new Fields();
                files = new ArrayList<>();
            }
            boolean ofProcess = letter == 'p' || letter == 'c' || letter == 'u' || letter == 'L';
            (ofProcess ? process : file).put(letter, line);
        }
        return processes;
    }

    private static final class Fields {
        private final Map<Character, String> values = new HashMap<>();

        void put(char letter, String line) {
            if (!line.isEmpty()) {
                values.put(letter, line.substring(1));
            }
        }

        private String get(char letter) {
            return values.getOrDefault(letter, "");
        }

        void addTo(List<OpenFiles> processes, List<OpenFile> files) {
            try {
                String user = get('L').isEmpty() ? get('u') : get('L');
                processes.add(new OpenFiles(
                        Long.parseLong(get('p')),
                        unescape(get('c')),
                        user.isEmpty() ? null : user,
                        List.copyOf(files)));
            } catch (NumberFormatException e) {
                // not a process: the beginning, or a program of this name that speaks another language
            }
        }

        /** Only regular files with a number: others are mapped into memory, working directories, or the program itself. */
        void addTo(List<OpenFile> files) {
            if (!get('t').equals("REG") && !get('t').equals("VREG")) {
                return;
            }
            try {
                int fd = Integer.parseInt(get('f'));
                FileId id = new FileId(Long.decode(get('D')), Long.parseUnsignedLong(get('i')));
                long size = get('s').isEmpty() ? 0 : Long.parseLong(get('s'));
                long links = get('k').isEmpty() ? -1 : Long.parseLong(get('k'));
                files.add(new OpenFile(new Descriptor(fd, id, size, unescape(get('n'))), links, locks(get('l'))));
            } catch (NumberFormatException e) {
                // a file of which the system does not tell device or inode
            }
        }

        /** Capital letters are locks on the whole file, small ones on a part that lsof does not tell. */
        private static List<PosixLock> locks(String letter) {
            return switch (letter) {
                case "R" -> List.of(new PosixLock("READ", 0, Long.MAX_VALUE));
                case "W" -> List.of(new PosixLock("WRITE", 0, Long.MAX_VALUE));
                case "r" -> List.of(new PosixLock("READ", -1, -1));
                case "w", "u" -> List.of(new PosixLock("WRITE", -1, -1));
                default -> List.of();
            };
        }
    }

    /** lsof writes a byte that is not a printable ASCII character as {@code \xc3}, {@code \n} or {@code \\}. */
    static String unescape(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        byte[] in = text.getBytes(OF_FILE_NAMES);
        ByteArrayOutputStream out = new ByteArrayOutputStream(in.length);
        for (int i = 0; i < in.length; i++) {
            char escape = in[i] == '\\' && i + 1 < in.length ? (char) in[i + 1] : ' ';
            int code = escape == 'x' && i + 3 < in.length ? hex(in[i + 2], in[i + 3]) : simple(escape);
            out.write(code < 0 ? in[i] : code);
            i += code < 0 ? 0 : escape == 'x' ? 3 : 1;
        }
        return out.toString(OF_FILE_NAMES);
    }

    private static int hex(byte high, byte low) {
        int left = Character.digit(high, 16);
        int right = Character.digit(low, 16);
        return left < 0 || right < 0 ? -1 : left * 16 + right;
    }

    private static int simple(char escape) {
        return switch (escape) {
            case '\\' -> '\\';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> -1;
        };
    }

    /** The encoding in which Java writes paths to the system, which need not be that of texts. */
    private static Charset charsetOfFileNames() {
        try {
            return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        } catch (IllegalArgumentException e) {
            return StandardCharsets.UTF_8;
        }
    }
}
