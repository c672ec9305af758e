-- The cache itself: which sequence of transitions it holds, and how far that has come.
CREATE TABLE cache (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch TEXT NOT NULL,
    last_index INTEGER NOT NULL
) STRICT;

-- What is kept fresh. state and before are JSON, `State` of io.userd.
CREATE TABLE resources (
    resource TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    -- The state to go back to: not null while a sync runs.
    before TEXT,
    interval_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE transitions (
    number INTEGER PRIMARY KEY,
    resource TEXT NOT NULL,
    state TEXT NOT NULL
) STRICT;

CREATE INDEX transitions_by_resource ON transitions (resource, number);

-- record is the finished JSON, `User` of io.userd; the other columns are what is searched and sorted on.
CREATE TABLE users (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    username TEXT COLLATE NOCASE,
    email TEXT COLLATE NOCASE,
    gender TEXT,
    nationality TEXT,
    name_key TEXT NOT NULL,
    age INTEGER,
    registered_at TEXT,
    words TEXT NOT NULL,
    record TEXT NOT NULL
) STRICT;

-- An index ends in the number, without saying so: that orders users whose keys are equal.
CREATE INDEX users_by_username ON users (username);
CREATE INDEX users_by_name ON users (name_key);
CREATE INDEX users_by_age ON users (age);
CREATE INDEX users_by_registration ON users (registered_at);
CREATE INDEX users_by_nationality ON users (nationality);
CREATE INDEX users_by_nationality_and_name ON users (nationality, name_key);
CREATE INDEX users_by_email ON users (email);

-- Nothing is ranked, so that no sizes are kept; positions are, for what is one word to people and several here (o'neill).
CREATE VIRTUAL TABLE user_words USING fts5 (
    words, content = 'users', content_rowid = 'number', columnsize = 0, prefix = '1 2',
    tokenize = 'unicode61 remove_diacritics 2'
);

-- number grows with every fact: the lowest is the oldest.
CREATE TABLE facts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    length INTEGER NOT NULL,
    record TEXT NOT NULL
) STRICT;

CREATE INDEX facts_by_length ON facts (length, number);

CREATE VIRTUAL TABLE fact_words USING fts5 (
    text, content = 'facts', content_rowid = 'number', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2'
);
