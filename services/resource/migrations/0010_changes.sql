-- The change log: one change for each revision, written in the transaction of the write. The release
-- before this one does not know it and may go on writing meanwhile: its writes are gaps (src/changes).
ALTER TABLE resource.namespaces
  ADD COLUMN color             text NOT NULL DEFAULT '',
  ADD COLUMN confirm           boolean NOT NULL DEFAULT false,
  -- Of the last change of the columns that are settings; 0: unknown, at most `revision`.
  ADD COLUMN settings_revision bigint NOT NULL DEFAULT 0;

UPDATE resource.namespaces SET settings_revision = revision;

-- For the release before: it does not know the column. This one sets it after the settings.
CREATE FUNCTION resource.forget_settings_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.settings_revision := 0;
  RETURN NEW;
END $$;

CREATE TRIGGER forget_settings_revision BEFORE UPDATE OF name, description ON resource.namespaces
  FOR EACH ROW EXECUTE FUNCTION resource.forget_settings_revision();

CREATE TABLE resource.changes (
  -- Outlives its namespace, so it refers to none.
  namespace_key resource.key NOT NULL,
  revision      bigint NOT NULL,
  at            timestamptz NOT NULL,
  -- The id alone. Names are in resource.actors, which is not hashed: there they can be erased.
  actor         text NOT NULL,
  -- As the gateway says. Not hashed, so that it can be erased.
  address       text,
  source        text NOT NULL,
  comment       text NOT NULL DEFAULT '' CHECK (octet_length(comment) <= 4096),
  request_id    text NOT NULL DEFAULT '' CHECK (octet_length(request_id) <= 64),
  -- Not jsonb, here and below: the very text was hashed.
  details       json,
  items_hash    bytea NOT NULL,
  previous_hash bytea NOT NULL,
  -- Empty: the hash was made without a key.
  key_id        text NOT NULL,
  hash          bytea NOT NULL,
  PRIMARY KEY (namespace_key, revision)
);

CREATE INDEX changes_by_age ON resource.changes (at);
CREATE INDEX changes_by_actor ON resource.changes (namespace_key, actor, revision);

-- Of a change and deleted with it. Without a foreign key, which would cost each write a lookup: an item
-- without its change is a break of the chain as any other.
CREATE TABLE resource.change_items (
  namespace_key resource.key NOT NULL,
  revision      bigint NOT NULL,
  place         integer NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('namespace', 'flag', 'segment')),
  key           resource.key NOT NULL,
  -- NULL: it did not exist.
  before        json,
  -- NULL: it does not exist any more.
  after         json,
  PRIMARY KEY (namespace_key, revision, place)
);

CREATE INDEX change_items_by_object ON resource.change_items (namespace_key, kind, key, revision);

-- The head of each chain, which outlives its namespace.
CREATE TABLE resource.chains (
  namespace_key    resource.key PRIMARY KEY,
  revision         bigint NOT NULL,
  hash             bytea NOT NULL,
  -- The revision at which the log begins; 0: with the namespace.
  started_revision bigint NOT NULL DEFAULT 0,
  -- How much was logged on the day of the last change.
  logged_on        date NOT NULL,
  logged_bytes     bigint NOT NULL,
  -- The last change that retention has deleted, with a MAC of the service; 0: none.
  pruned_revision  bigint NOT NULL DEFAULT 0,
  pruned_hash      bytea,
  pruned_mac       bytea
);

INSERT INTO resource.chains
       (namespace_key, revision, hash, started_revision, logged_on, logged_bytes)
SELECT key, revision, decode(repeat('00', 32), 'hex'), revision, current_date, 0
  FROM resource.namespaces;

-- The last known name of each actor. Deleting a row erases the name.
CREATE TABLE resource.actors (
  id      text PRIMARY KEY,
  method  text NOT NULL,
  name    text NOT NULL,
  last_at timestamptz NOT NULL DEFAULT statement_timestamp()
);

-- The log is append-only for the role of the service, whatever it is granted: only the role that owns the
-- tables can drop these triggers.
CREATE FUNCTION resource.refuse_edit_of_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE insufficient_privilege USING MESSAGE =
    'the change log is append-only: changes are not edited, and not deleted before they are 30 days old';
END $$;

CREATE FUNCTION resource.keep_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM resource.changes
    WHERE namespace_key = OLD.namespace_key AND revision = OLD.revision
      AND at > now() - interval '30 days';
  IF NOT FOUND THEN RETURN OLD; END IF;
  RAISE insufficient_privilege USING MESSAGE =
    'the change log is append-only: changes are not deleted before they are 30 days old';
END $$;

CREATE TRIGGER keep_columns BEFORE UPDATE
  OF namespace_key, revision, at, actor, source, comment, request_id, details, items_hash,
     previous_hash, key_id, hash
  ON resource.changes FOR EACH STATEMENT EXECUTE FUNCTION resource.refuse_edit_of_log();
CREATE TRIGGER keep_rows BEFORE DELETE ON resource.changes FOR EACH ROW
  WHEN (OLD.at > now() - interval '30 days') EXECUTE FUNCTION resource.refuse_edit_of_log();
CREATE TRIGGER keep_table BEFORE TRUNCATE ON resource.changes
  FOR EACH STATEMENT EXECUTE FUNCTION resource.refuse_edit_of_log();
CREATE TRIGGER keep_columns BEFORE UPDATE ON resource.change_items
  FOR EACH STATEMENT EXECUTE FUNCTION resource.refuse_edit_of_log();
CREATE TRIGGER keep_rows BEFORE DELETE ON resource.change_items
  FOR EACH ROW EXECUTE FUNCTION resource.keep_items();
CREATE TRIGGER keep_table BEFORE TRUNCATE ON resource.change_items
  FOR EACH STATEMENT EXECUTE FUNCTION resource.refuse_edit_of_log();
