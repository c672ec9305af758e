-- What is known of a directory's changes, from one sync to the next.
ALTER TABLE resources ADD COLUMN changes TEXT;
