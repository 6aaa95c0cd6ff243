-- Checksums over what readers have seen and noted; rows that were there before have none until they are written again.
ALTER TABLE seen ADD COLUMN seal BIGINT;
ALTER TABLE bookmark ADD COLUMN seal BIGINT;
