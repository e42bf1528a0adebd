package io.github.sqlitehealth.sample;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** All that the gateway knows of the table {@code messages} and its full-text index. */
@Repository
class Messages {

    private final JdbcClient jdbc;

    Messages(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    record Message(long id, String body) {}

    /** Returns after the commit: a trigger adds the full-text entry in the same transaction. */
    long add(String body) {
        return jdbc.sql("insert into messages (body) values (?) returning id")
                .param(body)
                .query(Long.class)
                .single();
    }

    long count() {
        return jdbc.sql("select count(*) from messages").query(Long.class).single();
    }

    List<Message> matching(String expression) {
        return jdbc.sql("select m.id, m.body from messages_fts f join messages m on m.id = f.rowid"
                        + " where messages_fts match ? order by m.id")
                .param(expression)
                .query(Message.class)
                .list();
    }
}
