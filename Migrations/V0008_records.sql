-- A user's record apart from what is searched and sorted by, so that who does this reads a third of the bytes.
CREATE TABLE user_records (number INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;
INSERT INTO user_records SELECT number, record FROM users ORDER BY number;

-- The ids have an index that can be dropped and made anew, as all others can: that is quicker where most users change.
CREATE TABLE new_users (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    username TEXT COLLATE NOCASE,
    email TEXT COLLATE NOCASE,
    gender TEXT,
    nationality TEXT,
    department TEXT COLLATE NOCASE,
    name_key TEXT NOT NULL,
    age_key INTEGER,
    registered_at TEXT,
    words TEXT NOT NULL,
    -- The digits of each telephone, with a blank between two.
    digits TEXT
) STRICT;
INSERT INTO new_users
SELECT number, id, username, email, gender, nationality, department, name_key, age_key, registered_at, words, digits
FROM users ORDER BY number;

-- With the table of users go the pictures of users, unless nobody has any then.
CREATE TABLE kept_pictures AS SELECT * FROM user_pictures;
DROP TABLE user_pictures;
DROP TABLE users;
ALTER TABLE new_users RENAME TO users;

CREATE TABLE user_pictures (
    user INTEGER NOT NULL REFERENCES users (number) ON DELETE CASCADE,
    size TEXT NOT NULL,
    picture INTEGER NOT NULL REFERENCES pictures (number),
    PRIMARY KEY (user, size)
) STRICT, WITHOUT ROWID;
INSERT INTO user_pictures SELECT user, size, picture FROM kept_pictures;
DROP TABLE kept_pictures;
CREATE INDEX user_pictures_by_picture ON user_pictures (picture);
CREATE TRIGGER user_pictures_removed AFTER DELETE ON user_pictures
WHEN NOT EXISTS (SELECT 1 FROM user_pictures WHERE picture = OLD.picture) BEGIN
    DELETE FROM pictures WHERE number = OLD.picture;
END;

CREATE UNIQUE INDEX users_by_id ON users (id);
CREATE INDEX users_by_username ON users (username);
CREATE INDEX users_by_name ON users (name_key);
CREATE INDEX users_by_age ON users (age_key);
CREATE INDEX users_by_registration ON users (registered_at);
CREATE INDEX users_by_nationality ON users (nationality);
CREATE INDEX users_by_nationality_and_name ON users (nationality, name_key);
CREATE INDEX users_by_email ON users (email);
CREATE INDEX users_by_department_and_name ON users (department, name_key) WHERE department IS NOT NULL;
CREATE INDEX users_by_digits ON users (digits) WHERE digits IS NOT NULL;
