-- A digest of the page as it came: a version of our own, for an upstream that tells none.
ALTER TABLE pages ADD COLUMN digest TEXT;

-- From now on the records of a page are all here, or the page goes with the first of them: nothing counts them any more.
-- A record is on one page, the first that has it.
DELETE FROM pages;
DROP TABLE page_users;
DROP TABLE page_facts;
-- digest is of the record as it came; null if it is not kept.
CREATE TABLE page_users (number INTEGER PRIMARY KEY, page INTEGER NOT NULL, digest INTEGER) STRICT;
CREATE INDEX page_users_by_page ON page_users (page, digest);
CREATE TABLE page_facts (number INTEGER PRIMARY KEY, page INTEGER NOT NULL, digest INTEGER) STRICT;
CREATE INDEX page_facts_by_page ON page_facts (page, digest);
