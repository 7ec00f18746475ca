-- When the revision was stamped. NULL: not since there is this column.
ALTER TABLE resource.namespaces ADD COLUMN changed_at timestamptz;

-- A trigger, so that it is also set by the release before, which does not know the column.
CREATE FUNCTION resource.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := clock_timestamp();
  RETURN NEW;
END $$;

CREATE TRIGGER note_change BEFORE UPDATE OF revision ON resource.namespaces
  FOR EACH ROW EXECUTE FUNCTION resource.note_change();

-- What gateways say they have; they say it again within seconds. So nothing of it is in the write-ahead log,
-- and a crash of the server empties it.
CREATE UNLOGGED TABLE resource.gateways (
  id          text COLLATE "C" PRIMARY KEY,
  version     text NOT NULL,
  -- Of the last report: reports may overtake each other.
  number      bigint NOT NULL,
  started_at  timestamptz NOT NULL,
  seen_at     timestamptz NOT NULL,
  -- It had everything that was committed by then.
  complete_at timestamptz NOT NULL,
  -- By namespace: the revision, and in how many milliseconds it got there or null.
  positions   jsonb NOT NULL
);
