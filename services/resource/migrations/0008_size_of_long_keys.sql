-- The size of a record counts the keys that its message repeats, where they are long: so 8 MiB by this
-- count are never more than one message carries. For usual keys the count is as it was.
CREATE FUNCTION resource.bytes_of_record(its_namespace text, its_parent text) RETURNS integer
  LANGUAGE sql IMMUTABLE
  RETURN 128 + greatest(0, octet_length(its_namespace) + octet_length(its_parent) - 64);

CREATE OR REPLACE FUNCTION resource.bytes_of_flag(its_namespace text, its_key text) RETURNS bigint
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT sum(resource.bytes_of_record(its_namespace, its_key) + bytes)
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

CREATE OR REPLACE FUNCTION resource.bytes_of_segment(its_namespace text, its_key text) RETURNS bigint
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT sum(resource.bytes_of_record(its_namespace, its_key) + bytes)
      FROM (SELECT octet_length(key) + octet_length(name) + octet_length(description) AS bytes
              FROM resource.segments WHERE namespace_key = its_namespace AND key = its_key
             UNION ALL
            SELECT octet_length(property) + octet_length(value) + octet_length(description)
              FROM resource.constraints WHERE namespace_key = its_namespace AND segment_key = its_key
           ) AS record);
END $$;
