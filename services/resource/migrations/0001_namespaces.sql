-- What names a namespace, a flag or a segment. Compared byte by byte: "a" is not "A".
CREATE DOMAIN resource.key AS text COLLATE "C"
  CONSTRAINT key_is_valid CHECK (VALUE ~ '^[-_,A-Za-z0-9]{1,255}$');

-- An instant in the shape of google.protobuf.Timestamp, with all of its microseconds. Not STRICT,
-- which would keep Postgres from putting the body in place of the call.
CREATE FUNCTION resource.instant(instant timestamptz) RETURNS json
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN json_build_object(
    'seconds', floor(extract(epoch FROM instant))::bigint,
    'nanos', extract(microseconds FROM instant)::bigint % 1000000 * 1000);

-- One sequence for all namespaces: one that is deleted and made anew never goes back.
CREATE SEQUENCE resource.revisions;

CREATE TABLE resource.namespaces (
  key                resource.key CONSTRAINT namespace_is_unique PRIMARY KEY,
  name               text NOT NULL,
  description        text NOT NULL DEFAULT '',
  protected          boolean NOT NULL DEFAULT false,
  -- Moves on with every change to anything in the namespace.
  revision           bigint NOT NULL DEFAULT 0,
  -- Whoever holds the namespace as of an earlier revision holds another one of the same key.
  created_revision   bigint NOT NULL DEFAULT 0,
  -- Tombstones up to here may be gone.
  compacted_revision bigint NOT NULL DEFAULT 0,
  -- The order of creation, here and in every table: the time alone may tie.
  position           bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  -- The start of the statement and not of the transaction, which may have waited for its turn: so
  -- within a namespace later changes have later times.
  created_at         timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at         timestamptz NOT NULL DEFAULT statement_timestamp()
);

INSERT INTO resource.namespaces (key, name, description, protected, revision, created_revision)
SELECT 'default', 'Default', 'Default namespace', true, revision, revision
  FROM nextval('resource.revisions') AS revision;

-- What was deleted, for those who hold a copy and were not listening at the time.
CREATE TABLE resource.tombstones (
  -- Outlives its namespace, so it refers to none.
  namespace_key resource.key NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('namespace', 'flag', 'segment')),
  key           resource.key NOT NULL,
  revision      bigint NOT NULL,
  deleted_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (namespace_key, kind, key)
);

CREATE INDEX tombstones_by_age ON resource.tombstones (deleted_at);
