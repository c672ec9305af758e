-- When a list first lacked the user, in milliseconds since 1970; null if the last list had them.
ALTER TABLE users ADD COLUMN missing_since_ms INTEGER;
CREATE INDEX users_missing ON users (missing_since_ms) WHERE missing_since_ms IS NOT NULL;

-- notes: what is kept of a list until the next one, such as what it lacks. JSON.
ALTER TABLE resources DROP COLUMN shortfall;
ALTER TABLE resources ADD COLUMN notes TEXT;
UPDATE resources SET list = NULL;

-- What is read from an answer has changed: everything is read once more.
DELETE FROM pages;
DELETE FROM page_users;
DELETE FROM page_facts;

-- A digest of the picture's content; null until it is next read for an address book, or fetched.
ALTER TABLE pictures ADD COLUMN digest BLOB;
-- So far it was not kept which pictures were fetched ahead, so all go whose size is not fetched ahead any more.
INSERT OR IGNORE INTO picture_sizes SELECT DISTINCT size FROM user_pictures;
-- Increases with each commit that may change a card.
ALTER TABLE cache ADD COLUMN book_version INTEGER NOT NULL DEFAULT 0;
-- Increases with each commit that adds, changes or removes users.
ALTER TABLE cache ADD COLUMN users_version INTEGER NOT NULL DEFAULT 0;
