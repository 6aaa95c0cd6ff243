CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- What a capture said beside its content, as JSON; the same row as long as nothing of it changes.
CREATE TABLE details (id INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;

-- A zstd frame; `base` is the frame whose bytes it is a difference from.
-- Numbers are never used twice, so that a frame which is at hand is known by its own.
CREATE TABLE frame (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    base INTEGER REFERENCES frame (id),
    length INTEGER NOT NULL,
    reach INTEGER NOT NULL,
    data BLOB NOT NULL
) STRICT;
CREATE INDEX frame_base ON frame (base) WHERE base IS NOT NULL;

-- Bytes that were captured, once: a piece of a frame.
CREATE TABLE content (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    length INTEGER NOT NULL,
    frame INTEGER NOT NULL REFERENCES frame (id),
    start INTEGER NOT NULL
) STRICT;
CREATE INDEX content_frame ON content (frame);

-- A page is what it is by its key, a hash of method, URL and body. `latest` is 0 before the first version.
CREATE TABLE page (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    url TEXT NOT NULL,
    method TEXT NOT NULL,
    body BLOB,
    canonical TEXT,
    latest INTEGER NOT NULL,
    latest_content INTEGER REFERENCES content (id)
) STRICT;
CREATE INDEX page_url ON page (substr(url, 1, 500));
CREATE INDEX page_latest_content ON page (latest_content);

CREATE TABLE version (
    page INTEGER NOT NULL REFERENCES page (id),
    number INTEGER NOT NULL,
    time INTEGER NOT NULL,
    content INTEGER NOT NULL REFERENCES content (id),
    status INTEGER NOT NULL,
    details INTEGER NOT NULL REFERENCES details (id),
    seal INTEGER NOT NULL,
    PRIMARY KEY (page, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_content ON version (content);
CREATE INDEX version_details ON version (details);

-- What changed between a version and the one before it: a piece of a frame.
CREATE TABLE step (
    page INTEGER NOT NULL,
    number INTEGER NOT NULL,
    time INTEGER NOT NULL,
    frame INTEGER NOT NULL REFERENCES frame (id),
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    kinds INTEGER NOT NULL,
    PRIMARY KEY (page, number),
    FOREIGN KEY (page, number) REFERENCES version (page, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX step_frame ON step (frame);

-- Checks that found the same version again, or failed: a run of the same outcome.
CREATE TABLE visit (
    page INTEGER NOT NULL REFERENCES page (id),
    ordinal INTEGER NOT NULL,
    number INTEGER NOT NULL,
    trouble TEXT,
    started INTEGER NOT NULL,
    last INTEGER NOT NULL,
    times BLOB NOT NULL,
    PRIMARY KEY (page, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE reader (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE seen (
    reader TEXT NOT NULL REFERENCES reader (id),
    page INTEGER NOT NULL REFERENCES page (id),
    number INTEGER NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (reader, page)
) STRICT, WITHOUT ROWID;
CREATE TABLE bookmark (
    reader TEXT NOT NULL REFERENCES reader (id),
    page INTEGER NOT NULL,
    number INTEGER NOT NULL,
    saved INTEGER NOT NULL,
    note TEXT NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (reader, page, number),
    FOREIGN KEY (page, number) REFERENCES version (page, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX bookmark_version ON bookmark (page, number);
