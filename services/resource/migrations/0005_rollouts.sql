CREATE TABLE resource.rollouts (
  namespace_key    resource.key NOT NULL,
  flag_key         resource.key NOT NULL,
  id               text NOT NULL DEFAULT gen_random_uuid(),
  rank             integer NOT NULL CHECK (rank > 0),
  description      text NOT NULL DEFAULT '',
  -- What those get whom the rollout is for.
  value            boolean NOT NULL,
  type             text NOT NULL,
  -- Of a segment rollout.
  segment_operator text CHECK (segment_operator IN ('OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR')),
  -- Of a threshold rollout.
  percentage       real CHECK (percentage BETWEEN 0 AND 100),
  position         bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at       timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at       timestamptz NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (namespace_key, flag_key, id),
  -- Deferrable, so that one statement may reorder them: it is checked when the statement is done.
  CONSTRAINT rank_is_unique UNIQUE (namespace_key, flag_key, rank) DEFERRABLE,
  CONSTRAINT flag_exists FOREIGN KEY (namespace_key, flag_key)
    REFERENCES resource.flags ON DELETE CASCADE,
  CONSTRAINT either_segment_or_threshold CHECK (CASE type
    WHEN 'SEGMENT_ROLLOUT_TYPE' THEN segment_operator IS NOT NULL AND percentage IS NULL
    WHEN 'THRESHOLD_ROLLOUT_TYPE' THEN segment_operator IS NULL AND percentage IS NOT NULL
    ELSE false
  END)
);

CREATE TABLE resource.rollout_segments (
  namespace_key resource.key NOT NULL,
  flag_key      resource.key NOT NULL,
  rollout_id    text NOT NULL,
  segment_key   resource.key NOT NULL,
  -- Among the segments of the rollout, as its author listed them.
  place         integer NOT NULL,
  PRIMARY KEY (namespace_key, flag_key, rollout_id, segment_key),
  CONSTRAINT rollout_exists FOREIGN KEY (namespace_key, flag_key, rollout_id)
    REFERENCES resource.rollouts ON DELETE CASCADE,
  -- So a segment that a rollout uses cannot be deleted.
  CONSTRAINT segment_exists FOREIGN KEY (namespace_key, segment_key) REFERENCES resource.segments
);

CREATE INDEX rollout_segments_by_segment ON resource.rollout_segments (namespace_key, segment_key);
