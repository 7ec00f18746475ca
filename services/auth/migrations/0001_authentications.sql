-- What is kept of client tokens. The token itself is not among it: only its SHA-256.
CREATE TABLE auth.authentications (
  id            text PRIMARY KEY DEFAULT gen_random_uuid()::text,
  -- The order of creation, in which they are listed.
  position      bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
  method        text NOT NULL CHECK (method IN
                  ('METHOD_TOKEN', 'METHOD_OIDC', 'METHOD_ORCHESTRATOR', 'METHOD_CODEHOST')),
  token_hash    bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  -- A token with one is good in this namespace only.
  namespace_key text COLLATE "C" CHECK (namespace_key ~ '^[-_,A-Za-z0-9]{1,255}$'),
  metadata      jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
  expires_at    timestamptz,
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX authentications_expiring ON auth.authentications (method, expires_at)
  WHERE expires_at IS NOT NULL;

-- The tokens that were deleted, or made to expire earlier, in the order of commits; those of the
-- last hour. Each process reads on from the last one that it has seen.
CREATE TABLE auth.revocations (
  seq          bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  token_hash   bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  refused_from timestamptz NOT NULL DEFAULT clock_timestamp(),
  revoked_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX revocations_by_age ON auth.revocations (revoked_at);

-- One row once the first token has been made, whatever became of that token.
CREATE TABLE auth.bootstrap (
  is_done           boolean PRIMARY KEY DEFAULT true CHECK (is_done),
  authentication_id text NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Secrets that all processes share. A random uuid has 122 random bits.
CREATE TABLE auth.keys (
  name       text PRIMARY KEY,
  secret     bytea NOT NULL CHECK (octet_length(secret) = 32),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO auth.keys (name, secret)
VALUES ('cache_entries', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
                                || uuid_send(gen_random_uuid())));
