-- Operations that came in parts, to be applied together (src/drafts).

-- One for each request to apply drafts. The process that applies them has its row locked until the commit.
CREATE TABLE resource.draft_applications (
  id           text COLLATE "C" PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT statement_timestamp(),
  -- Who asked for it, and what the change log says of that.
  caller       json NOT NULL,
  address      text NOT NULL,
  request_id   text NOT NULL,
  comment      text NOT NULL,
  -- Of drafts. Those of a namespace that is deleted go with it, and then none is applied.
  draft_count  integer NOT NULL,
  state        text NOT NULL DEFAULT 'APPLYING' CHECK (state IN ('APPLYING', 'APPLIED', 'FAILED')),
  -- Empty unless it failed.
  reason       text NOT NULL DEFAULT '',
  failure      text NOT NULL DEFAULT ''
);

CREATE INDEX draft_applications_to_do ON resource.draft_applications (requested_at)
  WHERE state = 'APPLYING';

CREATE TABLE resource.drafts (
  id              text COLLATE "C" PRIMARY KEY,
  namespace_key   resource.key NOT NULL
    CONSTRAINT namespace_exists REFERENCES resource.namespaces ON DELETE CASCADE,
  created_at      timestamptz NOT NULL DEFAULT statement_timestamp(),
  author          text NOT NULL,
  manager         text NOT NULL,
  prune           boolean NOT NULL,
  take_over       boolean NOT NULL,
  details         json,
  operation_count integer NOT NULL DEFAULT 0,
  bytes           bigint NOT NULL DEFAULT 0,
  -- NULL: it was not asked to be applied.
  application_id  text COLLATE "C" REFERENCES resource.draft_applications (id),
  -- The plan that it is applied by; empty for any.
  plan            text NOT NULL DEFAULT '',
  -- Of the namespace after it was applied; 0: it was not.
  revision        bigint NOT NULL DEFAULT 0
);

CREATE INDEX drafts_by_namespace ON resource.drafts (namespace_key, created_at);
CREATE INDEX drafts_by_application ON resource.drafts (application_id);

-- Without foreign keys, here and below: to delete a namespace deletes its drafts at once, and what was in
-- them in the background.
CREATE TABLE resource.draft_parts (
  draft_id        text COLLATE "C" NOT NULL,
  number          integer NOT NULL,
  -- Of its operations: the same part may come twice.
  digest          bytea NOT NULL,
  PRIMARY KEY (draft_id, number)
);

CREATE TABLE resource.draft_operations (
  draft_id    text COLLATE "C" NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('namespace', 'flag', 'segment')),
  key         resource.key NOT NULL,
  part        integer NOT NULL,
  place       integer NOT NULL,
  is_deletion boolean NOT NULL,
  -- The message svc.resource.v1.Operation.
  content     bytea NOT NULL,
  PRIMARY KEY (draft_id, kind, key)
);
