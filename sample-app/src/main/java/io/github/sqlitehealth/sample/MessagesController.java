package io.github.sqlitehealth.sample;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The gateway's HTTP face. Errors of the caller come as problem details (RFC 9457). */
@RestController
@RequestMapping("/messages")
class MessagesController {

    /** SQLite's generic SQLITE_ERROR: as the statements never change, it can only be the match expression. */
    private static final int SQLITE_ERROR = 1;

    private final Messages messages;

    MessagesController(Messages messages) {
        this.messages = messages;
    }

    record NewMessage(@Nullable String body) {}

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Map<String, Long> post(@RequestBody NewMessage message) {
        String body = message.body();
        if (body == null || body.isBlank()) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "A message needs a body");
        }
        return Map.of("id", messages.add(body));
    }

    @GetMapping("/count")
    Map<String, Long> count() {
        return Map.of("count", messages.count());
    }

    @GetMapping
    List<Messages.Message> matching(@RequestParam("match") String expression) {
        try {
            return messages.matching(expression);
        } catch (UncategorizedSQLException e) {
            if (e.getCause() instanceof SQLException sql && sql.getErrorCode() == SQLITE_ERROR) {
                throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "Not a full-text expression", e);
            }
            throw e;
        }
    }
}
