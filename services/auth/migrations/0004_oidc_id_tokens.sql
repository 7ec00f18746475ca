-- Of logins at OpenID providers: the ID token, by which the provider knows who logs out. It is sealed
-- with a key that is made of the client token, which is not kept.
CREATE TABLE auth.oidc_id_tokens (
  authentication_id text PRIMARY KEY REFERENCES auth.authentications ON DELETE CASCADE,
  sealed_id_token   text NOT NULL
);
