-- What came into namespaces by seed.path (src/seed). It outlives the namespaces: one that was seeded once and
-- deleted is not seeded again.
CREATE TABLE resource.seeds (
  namespace_key resource.key PRIMARY KEY,
  -- Of the mode and of what the files have for the namespace. Null: it held something, and was passed over.
  sha256        bytea CHECK (octet_length(sha256) = 32),
  at            timestamptz NOT NULL DEFAULT statement_timestamp()
);
