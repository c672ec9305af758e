-- What the last sync asked: a wait after its failure is no other's. Null if that is not known.
ALTER TABLE resources ADD COLUMN asked TEXT;

-- The total of a list is counted in it.
CREATE INDEX users_by_gender ON users (gender COLLATE NOCASE);
