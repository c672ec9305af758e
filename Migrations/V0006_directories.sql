-- Where the rows are from, such as `scim https://idp.example:443/scim/v2/Users`: null where that was not kept.
ALTER TABLE resources ADD COLUMN source TEXT;

ALTER TABLE users ADD COLUMN department TEXT COLLATE NOCASE;
CREATE INDEX users_by_department_and_name ON users (department, name_key) WHERE department IS NOT NULL;

-- The digits of each telephone, with a blank between two.
ALTER TABLE users ADD COLUMN digits TEXT;
CREATE INDEX users_by_digits ON users (digits) WHERE digits IS NOT NULL;

-- Days from birth to 1970, so that who is younger has the lower key. Without a birthday: born that many years before 2026.
ALTER TABLE users RENAME COLUMN age TO age_key;
UPDATE users SET age_key = ifnull(
    CAST(2440587.5 - julianday(date(record ->> '$.born_at')) AS INTEGER),
    min(max(age_key, -1000000000), 1000000000) * 146097 / 400 - 20454
) WHERE age_key IS NOT NULL OR record ->> '$.born_at' IS NOT NULL;

-- No list of an earlier userd goes on in this one: its cursors are refused.
ALTER TABLE moves RENAME COLUMN age TO age_key;
DELETE FROM moves;

-- An unchanged page would keep the rows as they are: without the digits and words that are searched now.
DELETE FROM pages;
DELETE FROM page_users;
DELETE FROM page_facts;
