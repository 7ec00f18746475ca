-- So that reading what was deleted since a revision takes as long as what it finds.
CREATE INDEX tombstones_by_revision ON resource.tombstones (namespace_key, revision);
