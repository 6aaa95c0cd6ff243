-- By itself, because CockroachDB cannot fill a column in the transaction that makes it.
UPDATE step SET seal = (time * 64 + kinds) * 256 + (page % 251 * 3 + number % 251 * 5 + frame % 251 * 7 + start % 251 * 11 + length % 251 * 13) % 251;
-- Runs of checks are counted from 1, and none is ever dropped.
UPDATE page SET visits = (SELECT max(ordinal) FROM visit WHERE visit.page = page.id)
WHERE EXISTS (SELECT 1 FROM visit WHERE visit.page = page.id);
UPDATE reader SET seen = (SELECT count(*) FROM seen WHERE seen.reader = reader.id),
    bookmarks = (SELECT count(*) FROM bookmark WHERE bookmark.reader = reader.id);
