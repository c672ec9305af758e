-- What a page has left out, so that it is known like any other: hashes of the ids, as JSON. is_cut: upstream had more than it
-- was asked for.
ALTER TABLE pages ADD COLUMN left_out TEXT;
ALTER TABLE pages ADD COLUMN is_cut INTEGER NOT NULL DEFAULT FALSE;

-- list: the version of a list that changes as a whole. shortfall: of the last list that was shorter than upstream said, its
-- total and how many came. Both are JSON.
ALTER TABLE resources ADD COLUMN list TEXT;
ALTER TABLE resources ADD COLUMN shortfall TEXT;

-- A page that has changed is read whole: records have no digests any more.
DELETE FROM pages;
DROP TABLE page_users;
DROP TABLE page_facts;
CREATE TABLE page_users (number INTEGER PRIMARY KEY, page INTEGER NOT NULL) STRICT;
CREATE INDEX page_users_by_page ON page_users (page);
CREATE TABLE page_facts (number INTEGER PRIMARY KEY, page INTEGER NOT NULL) STRICT;
CREATE INDEX page_facts_by_page ON page_facts (page);
