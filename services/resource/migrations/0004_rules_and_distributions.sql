CREATE TABLE resource.rules (
  namespace_key    resource.key NOT NULL,
  flag_key         resource.key NOT NULL,
  id               text NOT NULL DEFAULT gen_random_uuid(),
  -- Two rules may share one; then the older is tried first.
  rank             integer NOT NULL CHECK (rank > 0),
  segment_operator text NOT NULL
                   CHECK (segment_operator IN ('OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR')),
  position         bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at       timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at       timestamptz NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (namespace_key, flag_key, id),
  CONSTRAINT flag_exists FOREIGN KEY (namespace_key, flag_key)
    REFERENCES resource.flags ON DELETE CASCADE
);

CREATE TABLE resource.rule_segments (
  namespace_key resource.key NOT NULL,
  flag_key      resource.key NOT NULL,
  rule_id       text NOT NULL,
  segment_key   resource.key NOT NULL,
  -- Among the segments of the rule, as its author listed them.
  place         integer NOT NULL,
  PRIMARY KEY (namespace_key, flag_key, rule_id, segment_key),
  CONSTRAINT rule_exists FOREIGN KEY (namespace_key, flag_key, rule_id)
    REFERENCES resource.rules ON DELETE CASCADE,
  -- So a segment that a rule uses cannot be deleted.
  CONSTRAINT segment_exists FOREIGN KEY (namespace_key, segment_key) REFERENCES resource.segments
);

CREATE INDEX rule_segments_by_segment ON resource.rule_segments (namespace_key, segment_key);

CREATE TABLE resource.distributions (
  namespace_key resource.key NOT NULL,
  flag_key      resource.key NOT NULL,
  rule_id       text NOT NULL,
  id            text NOT NULL DEFAULT gen_random_uuid(),
  variant_id    text NOT NULL,
  -- NaN, which is greater than everything here, is refused as well.
  rollout       real NOT NULL CHECK (rollout BETWEEN 0 AND 100),
  position      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at    timestamptz NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (namespace_key, flag_key, rule_id, id),
  CONSTRAINT rule_exists FOREIGN KEY (namespace_key, flag_key, rule_id)
    REFERENCES resource.rules ON DELETE CASCADE,
  -- A variant of the rule's own flag.
  CONSTRAINT variant_exists FOREIGN KEY (namespace_key, flag_key, variant_id)
    REFERENCES resource.variants ON DELETE CASCADE
);

CREATE INDEX distributions_by_variant
  ON resource.distributions (namespace_key, flag_key, variant_id);
