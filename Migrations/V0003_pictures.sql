-- The sizes whose pictures are fetched ahead.
CREATE TABLE picture_sizes (size TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Pictures, each once for its address: upstreams give many users the same. bytes is null where it has never been fetched.
CREATE TABLE pictures (
    number INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    etag TEXT,
    last_modified TEXT,
    content_type TEXT,
    bytes INTEGER,
    -- When it is asked for next, in milliseconds since 1970: 0 is never yet, null never again.
    due_ms INTEGER
) STRICT;

CREATE INDEX pictures_by_due ON pictures (due_ms) WHERE due_ms IS NOT NULL;

-- Those that are cached: how many bytes they are together, and which of them are due.
CREATE INDEX pictures_cached ON pictures (due_ms, bytes) WHERE bytes IS NOT NULL;

-- Apart, so that to write that a picture has not changed is not to write the picture.
CREATE TABLE picture_contents (
    picture INTEGER PRIMARY KEY REFERENCES pictures (number) ON DELETE CASCADE,
    content BLOB NOT NULL
) STRICT;

-- Whose they are. A picture that is nobody's any more goes with the last who had it.
CREATE TABLE user_pictures (
    user INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
    size TEXT NOT NULL,
    picture INTEGER NOT NULL REFERENCES pictures (number),
    PRIMARY KEY (user, size)
) STRICT, WITHOUT ROWID;

CREATE INDEX user_pictures_by_picture ON user_pictures (picture);

CREATE TRIGGER user_pictures_removed AFTER DELETE ON user_pictures
WHEN NOT EXISTS (SELECT 1 FROM user_pictures WHERE picture = OLD.picture) BEGIN
    DELETE FROM pictures WHERE number = OLD.picture;
END;
