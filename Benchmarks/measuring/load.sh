#!/usr/bin/env bash
# load.sh FOLDER URL: the alternative to userd: fetches 20 pages with curl, and loads them into sqlite3.
set -euo pipefail
cd "$1"
curl --silent --fail --output 'page-#1.json' "$2?page=[1-20]&results=5000"
{
    cat <<'SQL'
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE users (
    number INTEGER PRIMARY KEY, id TEXT, username TEXT, email TEXT, gender TEXT, nationality TEXT, name TEXT,
    born TEXT, registered TEXT, words TEXT, record TEXT);
CREATE VIRTUAL TABLE user_words USING fts5 (
    words, content = 'users', content_rowid = 'number', columnsize = 0, prefix = '1 2',
    tokenize = 'unicode61 remove_diacritics 2');
BEGIN;
SQL
    for page in {1..20}; do
        cat <<SQL
INSERT INTO users (id, username, email, gender, nationality, name, born, registered, words, record)
SELECT value ->> '$.login.uuid', value ->> '$.login.username', value ->> '$.email', value ->> '$.gender', value ->> '$.nat',
    lower((value ->> '$.name.last') || ' ' || (value ->> '$.name.first')), value ->> '$.dob.date',
    value ->> '$.registered.date',
    concat, value
FROM (SELECT value, value ->> '$.name.first' || ' ' || (value ->> '$.name.last') || ' ' || (value ->> '$.login.username')
        || ' ' || (value ->> '$.email') || ' ' || (value ->> '$.location.street.name') || ' '
        || (value ->> '$.location.city') || ' ' || (value ->> '$.location.state') || ' '
        || (value ->> '$.location.postcode') || ' ' || (value ->> '$.location.country') AS concat
    FROM json_each(readfile('page-$page.json'), '$.results'));
SQL
    done
    cat <<'SQL'
CREATE INDEX users_by_username ON users (username);
CREATE INDEX users_by_email ON users (email);
CREATE INDEX users_by_name ON users (name);
INSERT INTO user_words (user_words) VALUES ('rebuild');
COMMIT;
SQL
} | sqlite3 users.db >sqlite.log
[[ "$(sqlite3 users.db 'SELECT count(*) FROM users')" == 100000 ]]
