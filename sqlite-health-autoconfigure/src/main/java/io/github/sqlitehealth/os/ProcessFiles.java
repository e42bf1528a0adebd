package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files that another process holds open, as {@code /proc} tells them. */
public final class ProcessFiles {

    private final long pid;
    private final Path process;

    /** @param pid by which this process knows it */
    public ProcessFiles(long pid) {
        this.pid = pid;
        this.process = Path.of("/proc").resolve(Long.toString(pid));
    }

    /** The name of its program, at most 15 characters. */
    public String command() {
        return ProcWalk.command(process);
    }

    /**
     * All regular files, each once, without jars and libraries.
     *
     * @throws NoSuchFileException when there is no such process, or no such way to look at one
     * @throws java.nio.file.AccessDeniedException when this process may not look at that one
     */
    public List<ProcessFile> list() throws IOException {
        if (!Files.exists(process)) {
            throw new NoSuchFileException(process.toString());
        }
        List<Descriptor> descriptors = new ArrayList<>();
        ProcDescriptors.visit(process, descriptors::add);
        Map<FileId, ProcessFile> files = new LinkedHashMap<>();
        for (Descriptor descriptor : descriptors) {
            files.putIfAbsent(descriptor.id(), file(descriptor));
        }
        return List.copyOf(files.values());
    }

    private ProcessFile file(Descriptor descriptor) {
        Path place = Path.of(process + "/root" + descriptor.name());
        Path through = process.resolve("fd").resolve(Integer.toString(descriptor.fd()));
        return new ProcessFile(
                descriptor.fd(),
                descriptor.id(),
                descriptor.size(),
                descriptor.name(),
                descriptor.deleted(),
                isStale(descriptor, place),
                through,
                place);
    }

    private static boolean isStale(Descriptor descriptor, Path place) {
        try {
            FileFacts facts = FileFacts.of(place);
            return facts == null || !descriptor.id().equals(facts.id());
        } catch (IOException e) {
            return descriptor.deleted();
        }
    }

    @Override
    public String toString() {
        return "process " + pid + " (" + command() + ")";
    }
}
