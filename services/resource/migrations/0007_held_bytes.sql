-- What gateways hold of it in memory, in bytes: of a flag or segment with everything in it, and of the
-- whole namespace. Kept by every change (src/changes.store.ts). No statement of earlier builds, whose
-- replicas go on meanwhile, uses the name for something else.
ALTER TABLE resource.namespaces ADD COLUMN held_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE resource.flags ADD COLUMN held_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE resource.segments ADD COLUMN held_bytes bigint NOT NULL DEFAULT 0;

-- The texts, and 128 bytes for the rest of each record: ids, times and numbers. In PL/pgSQL, which
-- keeps its plans for the session: to plan this anew would take longer than all the rest of a change.
CREATE FUNCTION resource.bytes_of_flag(its_namespace text, its_key text) RETURNS bigint
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT sum(128 + bytes)
      FROM (SELECT octet_length(key) + octet_length(name) + octet_length(description)
                   + coalesce(octet_length(metadata::text), 0) AS bytes
              FROM resource.flags WHERE namespace_key = its_namespace AND key = its_key
             UNION ALL
            SELECT octet_length(key) + octet_length(name) + octet_length(description)
                   + octet_length(attachment)
              FROM resource.variants WHERE namespace_key = its_namespace AND flag_key = its_key
             UNION ALL
            SELECT octet_length(description)
              FROM resource.rollouts WHERE namespace_key = its_namespace AND flag_key = its_key
             UNION ALL
            SELECT octet_length(segment_key)
              FROM resource.rollout_segments WHERE namespace_key = its_namespace AND flag_key = its_key
             UNION ALL
            SELECT 0
              FROM resource.rules WHERE namespace_key = its_namespace AND flag_key = its_key
             UNION ALL
            SELECT octet_length(segment_key)
              FROM resource.rule_segments WHERE namespace_key = its_namespace AND flag_key = its_key
             UNION ALL
            SELECT 0
              FROM resource.distributions WHERE namespace_key = its_namespace AND flag_key = its_key
           ) AS record);
END $$;

CREATE FUNCTION resource.bytes_of_segment(its_namespace text, its_key text) RETURNS bigint
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT sum(128 + bytes)
      FROM (SELECT octet_length(key) + octet_length(name) + octet_length(description) AS bytes
              FROM resource.segments WHERE namespace_key = its_namespace AND key = its_key
             UNION ALL
            SELECT octet_length(property) + octet_length(value) + octet_length(description)
              FROM resource.constraints WHERE namespace_key = its_namespace AND segment_key = its_key
           ) AS record);
END $$;

UPDATE resource.flags SET held_bytes = resource.bytes_of_flag(namespace_key, key);
UPDATE resource.segments SET held_bytes = resource.bytes_of_segment(namespace_key, key);
UPDATE resource.namespaces AS n
   SET held_bytes =
         (SELECT coalesce(sum(held_bytes), 0) FROM resource.flags WHERE namespace_key = n.key)
         + (SELECT coalesce(sum(held_bytes), 0) FROM resource.segments WHERE namespace_key = n.key);
