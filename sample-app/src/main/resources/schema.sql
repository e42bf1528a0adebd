create table if not exists messages (
  id      integer primary key autoincrement,
  body    text not null,
  created text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);;

-- External content: the index holds words and row ids, the text stays in messages alone.
create virtual table if not exists messages_fts using fts5 (body, content='messages', content_rowid='id');;

-- Triggers, so that row and index entry are one transaction, whoever writes.
create trigger if not exists messages_inserted after insert on messages begin
  insert into messages_fts (rowid, body) values (new.id, new.body);
end;;

create trigger if not exists messages_deleted after delete on messages begin
  insert into messages_fts (messages_fts, rowid, body) values ('delete', old.id, old.body);
end;;

create trigger if not exists messages_updated after update on messages begin
  insert into messages_fts (messages_fts, rowid, body) values ('delete', old.id, old.body);
  insert into messages_fts (rowid, body) values (new.id, new.body);
end;;
