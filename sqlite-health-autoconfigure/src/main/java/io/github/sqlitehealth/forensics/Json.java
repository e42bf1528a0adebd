package io.github.sqlitehealth.forensics;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** How the files of the forensics directory are written and read: ISO times, absent values left out. */
public final class Json {

    private static final Logger log = LoggerFactory.getLogger(Json.class);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            // What another version wrote is understood as far as it goes: an update must not forget an open incident.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .changeDefaultPropertyInclusion(value -> value.withValueInclusion(JsonInclude.Include.NON_NULL))
            .build();

    private Json() {}

    /** The value as JSON for people to read. */
    public static byte[] write(Object value) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(value);
    }

    /** The value as JSON on one line. */
    public static String line(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /** @throws JacksonException when the file cannot be read or is not what it should be */
    public static <T> T read(Path file, Class<T> type) {
        T value = MAPPER.readValue(file, type);
        if (value == null) {
            throw new NothingThere();
        }
        return value;
    }

    /** The same, or nothing when the file is not there, cannot be read or is not what it should be. */
    public static <T> Optional<T> find(Path file, Class<T> type) {
        try {
            return Optional.of(read(file, type));
        } catch (JacksonException ex) {
            log.debug("{} cannot be understood", file, ex);
            return Optional.empty();
        }
    }

    /** @throws JacksonException when the content is not what it should be */
    public static <T> T read(byte[] content, Class<T> type) {
        T value = MAPPER.readValue(content, type);
        if (value == null) {
            throw new NothingThere();
        }
        return value;
    }

    /** @throws JacksonException when the file cannot be read or is no JSON object */
    public static Map<String, Object> readObject(Path file) {
        Map<String, Object> value = MAPPER.readValue(file, new TypeReference<LinkedHashMap<String, Object>>() {});
        if (value == null) {
            throw new NothingThere();
        }
        return value;
    }

    /** The value as plain maps, lists, strings and numbers. */
    public static Map<String, Object> plain(Object value) {
        return MAPPER.convertValue(value, new TypeReference<LinkedHashMap<String, Object>>() {});
    }

    private static final class NothingThere extends JacksonException {

        private static final long serialVersionUID = 1L;

        NothingThere() {
            super("there is only null in it");
        }
    }
}
