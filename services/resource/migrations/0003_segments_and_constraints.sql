CREATE TABLE resource.segments (
  namespace_key resource.key NOT NULL,
  key           resource.key NOT NULL,
  name          text NOT NULL,
  description   text NOT NULL DEFAULT '',
  match_type    text NOT NULL CHECK (match_type IN ('ALL_MATCH_TYPE', 'ANY_MATCH_TYPE')),
  -- Of the last change to the segment or to anything in it.
  revision      bigint NOT NULL DEFAULT 0,
  position      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT segment_is_unique PRIMARY KEY (namespace_key, key),
  CONSTRAINT namespace_exists FOREIGN KEY (namespace_key) REFERENCES resource.namespaces
);

CREATE INDEX segments_in_order ON resource.segments (namespace_key, position);
CREATE INDEX segments_by_revision ON resource.segments (namespace_key, revision, key);

CREATE TABLE resource.constraints (
  namespace_key resource.key NOT NULL,
  segment_key   resource.key NOT NULL,
  id            text NOT NULL DEFAULT gen_random_uuid(),
  type          text NOT NULL CHECK (type IN (
                  'STRING_COMPARISON_TYPE', 'NUMBER_COMPARISON_TYPE', 'BOOLEAN_COMPARISON_TYPE',
                  'DATETIME_COMPARISON_TYPE', 'ENTITY_ID_COMPARISON_TYPE')),
  property      text NOT NULL CHECK (property <> ''),
  operator      text NOT NULL CHECK (operator <> ''),
  value         text NOT NULL DEFAULT '',
  description   text NOT NULL DEFAULT '',
  position      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (namespace_key, segment_key, id),
  CONSTRAINT segment_exists FOREIGN KEY (namespace_key, segment_key)
    REFERENCES resource.segments ON DELETE CASCADE
);
