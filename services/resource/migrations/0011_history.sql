-- Reading the change log.
ALTER TABLE resource.chains
  -- Of the key by which pruned_mac was made; empty: without one.
  ADD COLUMN pruned_key_id text NOT NULL DEFAULT '';

-- Time is asked for within a namespace.
DROP INDEX resource.changes_by_age;
CREATE INDEX changes_by_time ON resource.changes (namespace_key, at);
