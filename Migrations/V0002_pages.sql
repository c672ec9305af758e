-- What upstream's pages were, so that one that has not changed since need not be sent again. key is a digest of the
-- page's address, of its format and of what else its rows depend on: the address may hold a secret. next is JSON.
CREATE TABLE pages (
    resource TEXT NOT NULL,
    number INTEGER NOT NULL,
    key TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    next TEXT,
    total INTEGER,
    -- On this page: where not all of them are here any more, the page is not known any more.
    records INTEGER NOT NULL,
    PRIMARY KEY (resource, number)
) STRICT, WITHOUT ROWID;

-- Which records stood on which of those pages, by the numbers of their rows.
CREATE TABLE page_users (
    page INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (page, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE page_facts (
    page INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (page, number)
) STRICT, WITHOUT ROWID;
