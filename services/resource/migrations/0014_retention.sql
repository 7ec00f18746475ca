-- Retention of the change log. All of it is on the head of a chain, so that each process goes on where another
-- has stopped.
ALTER TABLE resource.chains
  -- Addresses are erased of changes up to this time.
  ADD COLUMN erased_until       timestamptz NOT NULL DEFAULT '-infinity',
  -- The head that was logged last, as a witness, and when. NULL: none yet.
  ADD COLUMN witnessed_revision bigint NOT NULL DEFAULT 0,
  ADD COLUMN witnessed_at       timestamptz;
