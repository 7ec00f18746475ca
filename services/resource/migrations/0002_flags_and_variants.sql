CREATE TABLE resource.flags (
  namespace_key      resource.key NOT NULL,
  key                resource.key NOT NULL,
  type               text NOT NULL CHECK (type IN ('VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE')),
  name               text NOT NULL,
  description        text NOT NULL DEFAULT '',
  enabled            boolean NOT NULL DEFAULT false,
  default_variant_id text,
  -- Not jsonb, which would put the members into an order of its own.
  metadata           json CHECK (json_typeof(metadata) = 'object'),
  -- Of the last change to the flag or to anything in it.
  revision           bigint NOT NULL DEFAULT 0,
  position           bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at         timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at         timestamptz NOT NULL DEFAULT statement_timestamp(),
  CONSTRAINT flag_is_unique PRIMARY KEY (namespace_key, key),
  CONSTRAINT namespace_exists FOREIGN KEY (namespace_key) REFERENCES resource.namespaces
);

CREATE INDEX flags_in_order ON resource.flags (namespace_key, position);
CREATE INDEX flags_by_revision ON resource.flags (namespace_key, revision, key);

CREATE TABLE resource.variants (
  namespace_key resource.key NOT NULL,
  flag_key      resource.key NOT NULL,
  id            text NOT NULL DEFAULT gen_random_uuid(),
  key           text COLLATE "C" NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  name          text NOT NULL DEFAULT '',
  description   text NOT NULL DEFAULT '',
  -- JSON as text, so that it comes back spelt as it was sent; empty when there is none.
  attachment    text NOT NULL DEFAULT '' CHECK (octet_length(attachment) <= 1024000),
  position      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (namespace_key, flag_key, id),
  CONSTRAINT variant_is_unique UNIQUE (namespace_key, flag_key, key),
  CONSTRAINT flag_exists FOREIGN KEY (namespace_key, flag_key)
    REFERENCES resource.flags ON DELETE CASCADE
);

ALTER TABLE resource.flags
  ADD CONSTRAINT default_variant_exists FOREIGN KEY (namespace_key, key, default_variant_id)
    REFERENCES resource.variants (namespace_key, flag_key, id)
    ON DELETE SET NULL (default_variant_id);
