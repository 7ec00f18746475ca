-- What is kept of logins in browsers, of secrets that are being changed, and of the use of tokens.
ALTER TABLE auth.authentications
  -- Made from this token, by a login with it: ends with it.
  ADD COLUMN parent_id text REFERENCES auth.authentications (id) ON DELETE CASCADE,
  -- Whose login it is: who says so, by which name they know the person, and their own session.
  ADD COLUMN issuer text,
  ADD COLUMN subject text,
  ADD COLUMN session_id text,
  -- A login ends when it has not been used for so long.
  ADD COLUMN idle_timeout interval CHECK (idle_timeout > interval '0'),
  -- Addresses and ranges in CIDR from which it may be used; empty: from all.
  ADD COLUMN allowed_addresses text[] NOT NULL DEFAULT '{}',
  -- The secret before this one is good until then.
  ADD COLUMN previous_token_hash bytea UNIQUE CHECK (octet_length(previous_token_hash) = 32),
  ADD COLUMN previous_expires_at timestamptz,
  -- Written at most once a minute.
  ADD COLUMN last_used_at timestamptz,
  ADD COLUMN last_used_address text,
  ADD COLUMN use_count bigint NOT NULL DEFAULT 0,
  ADD CHECK ((previous_token_hash IS NULL) = (previous_expires_at IS NULL)),
  ADD CHECK ((issuer IS NULL) = (subject IS NULL));

CREATE INDEX authentications_by_parent ON auth.authentications (parent_id)
  WHERE parent_id IS NOT NULL;
CREATE INDEX authentications_by_subject ON auth.authentications (issuer, subject)
  WHERE issuer IS NOT NULL;
CREATE INDEX authentications_by_session ON auth.authentications (issuer, session_id)
  WHERE session_id IS NOT NULL;

-- Sealing what a login carries through the browser, so that any replica can finish it.
INSERT INTO auth.keys (name, secret)
VALUES ('login_flows', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
                              || uuid_send(gen_random_uuid())));
