-- Room for a seal of what is known of a step, and for how many rows there are which only count together; 004 fills it.
ALTER TABLE step ADD COLUMN seal BIGINT;
ALTER TABLE page ADD COLUMN visits BIGINT NOT NULL DEFAULT 0;
ALTER TABLE reader ADD COLUMN seen BIGINT NOT NULL DEFAULT 0;
ALTER TABLE reader ADD COLUMN bookmarks BIGINT NOT NULL DEFAULT 0;
