-- Sessions are known by a column, and methods by the code alone: a new method needs no migration.
ALTER TABLE auth.authentications
  -- Whether this is the session of a browser. Null in rows of releases that do not write it.
  ADD COLUMN is_session boolean,
  DROP CONSTRAINT authentications_method_check,
  ADD CHECK (method ~ '^METHOD_[A-Z]+$') NOT VALID;
