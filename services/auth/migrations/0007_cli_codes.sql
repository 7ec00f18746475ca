-- Codes with which a browser that is signed in lets the command line have a token: good for a minute, and
-- once. The code itself is not among it: only its SHA-256.
CREATE TABLE auth.cli_codes (
  code_hash     bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
  -- Of the session that allowed it. No reference: the exchange of a code locks it before the session, whose
  -- end would lock them the other way round. A code without its session is of no use.
  session_id    text NOT NULL,
  -- SHA-256 of the verifier.
  challenge     bytea NOT NULL CHECK (octet_length(challenge) = 32),
  description   text NOT NULL DEFAULT '',
  -- What the method keeps of the session, for the token; sealed with a key that is made of the code.
  sealed_secret text,
  -- How many wrong verifiers have come with it.
  failures      integer NOT NULL DEFAULT 0,
  expires_at    timestamptz NOT NULL
);

CREATE INDEX cli_codes_by_session ON auth.cli_codes (session_id, expires_at);
CREATE INDEX cli_codes_by_expiry ON auth.cli_codes (expires_at);
