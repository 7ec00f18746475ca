-- Of logins at the code host that depend on memberships: with what these are looked at again. The
-- access token is sealed with a key that is made of the client token, which is not kept: what is in
-- this table can be opened with a request of its holder at hand, and not otherwise.
CREATE TABLE auth.codehost_memberships (
  authentication_id   text PRIMARY KEY REFERENCES auth.authentications ON DELETE CASCADE,
  sealed_access_token text NOT NULL,
  checked_at          timestamptz NOT NULL DEFAULT now()
);
