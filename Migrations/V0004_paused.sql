-- What SetPaused said last, and what the setting was then: null where nobody has called it.
ALTER TABLE cache ADD COLUMN paused INTEGER;
ALTER TABLE cache ADD COLUMN paused_setting INTEGER;
