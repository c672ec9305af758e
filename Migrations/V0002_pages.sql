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
    PRIMARY KEY (resource, number)
) STRICT, WITHOUT ROWID;

-- Which users stood on which of those pages.
CREATE TABLE page_users (
    page INTEGER NOT NULL,
    user INTEGER NOT NULL,
    PRIMARY KEY (page, user)
) STRICT, WITHOUT ROWID;
