-- Room for a seal of what is known of a step, and for how many rows there are which only count together; 004 fills it.
ALTER TABLE step ADD COLUMN seal INTEGER;
ALTER TABLE page ADD COLUMN visits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reader ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reader ADD COLUMN bookmarks INTEGER NOT NULL DEFAULT 0;
