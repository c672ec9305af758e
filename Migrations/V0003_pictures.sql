-- Pictures of users, by the address that upstream gave for them. content is null where fetching failed.
CREATE TABLE pictures (
    user TEXT NOT NULL,
    size TEXT NOT NULL,
    url TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    content_type TEXT,
    content BLOB,
    checked_at TEXT NOT NULL,
    PRIMARY KEY (user, size)
) STRICT;
