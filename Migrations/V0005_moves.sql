-- The highest number that a user has had, whoever has it now: none is given twice.
ALTER TABLE cache ADD COLUMN newest_user INTEGER NOT NULL DEFAULT 0;
UPDATE cache SET newest_user = (SELECT ifnull(max(number), 0) FROM users);

-- The moves of every transition after this one are known.
ALTER TABLE cache ADD COLUMN moves_known_after INTEGER NOT NULL DEFAULT 0;

-- Users who changed their places in an order, and what they were sorted by before that transition.
CREATE TABLE moves (
    transition INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name_key TEXT NOT NULL,
    age INTEGER,
    registered_at TEXT,
    nationality TEXT,
    email TEXT COLLATE NOCASE,
    PRIMARY KEY (transition, number)
) STRICT, WITHOUT ROWID;

-- An index ends in the primary key, without saying so.
CREATE INDEX moves_by_number ON moves (number);
