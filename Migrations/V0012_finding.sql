-- Texts that are compared and sorted without case and accents, as the name's key is. Until the next sync, ASCII letters alone are
-- compared so.
DROP INDEX users_by_department_and_name;
ALTER TABLE users DROP COLUMN department;
ALTER TABLE users ADD COLUMN department_key TEXT;
ALTER TABLE users ADD COLUMN title_key TEXT;
ALTER TABLE users ADD COLUMN city_key TEXT;
ALTER TABLE users ADD COLUMN country_key TEXT;
ALTER TABLE users ADD COLUMN company_key TEXT;
ALTER TABLE users ADD COLUMN manager_key TEXT;
UPDATE users SET (department_key, title_key, city_key, country_key, company_key, manager_key) = (
    SELECT lower(record ->> '$.department'), lower(record ->> '$.job_title'), lower(record ->> '$.address.city'),
    lower(record ->> '$.address.country'), lower(record ->> '$.company'), lower(ifnull(record ->> '$.manager.id', record ->> '$.manager.name'))
    FROM user_records WHERE user_records.number = users.number
);
CREATE INDEX users_by_department ON users (department_key);
CREATE INDEX users_by_title ON users (title_key);
CREATE INDEX users_by_city ON users (city_key);
CREATE INDEX users_by_country ON users (country_key) WHERE country_key IS NOT NULL;
CREATE INDEX users_by_company ON users (company_key) WHERE company_key IS NOT NULL;
CREATE INDEX users_by_manager ON users (manager_key) WHERE manager_key IS NOT NULL;

ALTER TABLE moves ADD COLUMN department_key TEXT;
ALTER TABLE moves ADD COLUMN title_key TEXT;
ALTER TABLE moves ADD COLUMN city_key TEXT;
-- No list of an earlier userd goes on in this one: its cursors are refused.
DELETE FROM moves;

-- userd folds and spells the words itself, each with a blank around it. No phrases are searched, so that no positions are
-- kept.
DROP TABLE user_words;
CREATE VIRTUAL TABLE user_words USING fts5 (
    words, content = 'users', content_rowid = 'number', columnsize = 0, detail = none, prefix = '1 2',
    tokenize = 'ascii tokenchars ''@#'''
);
INSERT INTO user_words (user_words) VALUES ('rebuild');
-- Its distinct words.
CREATE VIRTUAL TABLE user_terms USING fts5vocab (user_words, row);

-- An unchanged page would keep the rows as they are, without the words and columns that are searched now.
DELETE FROM pages;
DELETE FROM page_users;
DELETE FROM page_facts;
UPDATE resources SET list = NULL;
