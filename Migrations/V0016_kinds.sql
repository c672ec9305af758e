-- Null for persons.
ALTER TABLE users ADD COLUMN kind TEXT;
CREATE INDEX users_by_kind ON users (kind, name_key) WHERE kind IS NOT NULL;
