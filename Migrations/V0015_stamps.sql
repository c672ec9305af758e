-- The stamps by which an LDAP server marks what changed, by the id of the user, or a digest of one that is left out.
CREATE TABLE user_stamps (id TEXT PRIMARY KEY, stamp TEXT NOT NULL) STRICT, WITHOUT ROWID;
