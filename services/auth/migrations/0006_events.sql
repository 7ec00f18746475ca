-- The log of events: what happened to tokens, logins and sessions, each in the transaction of what it
-- records. The release before this one does not know it: what that does meanwhile is not in it.
CREATE TABLE auth.events (
  number        bigint PRIMARY KEY,
  at            timestamptz NOT NULL,
  type          text NOT NULL CHECK (type ~ '^[a-z_]+\.[a-z_]+$'),
  -- The id alone. Names are in auth.actors, which is not hashed: there they can be erased.
  actor         text NOT NULL,
  -- The id of a record, which the event outlives; empty: none.
  subject       text NOT NULL DEFAULT '',
  -- As the gateway says. Not hashed, so that it can be erased.
  address       text,
  -- Not jsonb: the very text was hashed.
  details       json,
  previous_hash bytea NOT NULL,
  -- Empty: the hash was made without a key.
  key_id        text NOT NULL,
  hash          bytea NOT NULL
);

CREATE INDEX events_by_type ON auth.events (type, number);
CREATE INDEX events_by_actor ON auth.events (actor, number);
CREATE INDEX events_by_subject ON auth.events (subject, number) WHERE subject <> '';
CREATE INDEX events_by_time ON auth.events (at);
CREATE INDEX events_with_address ON auth.events (number) WHERE address IS NOT NULL;

-- The head of the chain: one row, which is locked by whatever logs.
CREATE TABLE auth.chain (
  is_only       boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  number        bigint NOT NULL,
  at            timestamptz NOT NULL,
  hash          bytea NOT NULL,
  -- The last event that retention has deleted, with a MAC of the service; 0: none.
  pruned_number bigint NOT NULL DEFAULT 0,
  pruned_hash   bytea,
  pruned_mac    bytea,
  -- Of the key by which pruned_mac was made; empty: without one.
  pruned_key_id text NOT NULL DEFAULT ''
);

INSERT INTO auth.chain (number, at, hash) VALUES (0, now(), decode(repeat('00', 32), 'hex'));

-- The last known name of each actor. Deleting a row erases the name.
CREATE TABLE auth.actors (
  id      text PRIMARY KEY,
  method  text NOT NULL,
  name    text NOT NULL,
  last_at timestamptz NOT NULL DEFAULT statement_timestamp()
);

-- The log is append-only for the role of the service, whatever it is granted: only the role that owns the
-- tables can drop these triggers.
CREATE FUNCTION auth.refuse_edit_of_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE insufficient_privilege USING MESSAGE =
    'the log of events is append-only: events are not edited, and not deleted before they are 30 days old';
END $$;

CREATE TRIGGER keep_columns BEFORE UPDATE
  OF number, at, type, actor, subject, details, previous_hash, key_id, hash
  ON auth.events FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_edit_of_log();
CREATE TRIGGER keep_rows BEFORE DELETE ON auth.events FOR EACH ROW
  WHEN (OLD.at > now() - interval '30 days') EXECUTE FUNCTION auth.refuse_edit_of_log();
CREATE TRIGGER keep_table BEFORE TRUNCATE ON auth.events
  FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_edit_of_log();
