-- The tags and the owner of a flag stand in its metadata, which is json and spelt as it was sent. These
-- functions read any that an earlier build may write, and never fail: an index that fails refuses the write.

-- NULL also for metadata that json can spell and no text can hold, such as an escaped U+0000.
CREATE FUNCTION resource.member(metadata json, its_name text) RETURNS json
  LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  -- To catch errors takes longer than to read; without an escape there is none.
  IF strpos(metadata::text, '\u') = 0 THEN RETURN metadata -> its_name; END IF;
  BEGIN
    RETURN metadata -> its_name;
  EXCEPTION WHEN data_exception THEN
    RETURN NULL;
  END;
END $$;

-- The first 20 texts of 1 to 64 characters in the list `tags`: so a flag has few entries in the index, and
-- each fits there.
CREATE FUNCTION resource.tags(metadata json) RETURNS text[]
  LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  list json := resource.member(metadata, 'tags');
BEGIN
  IF json_typeof(list) IS DISTINCT FROM 'array' THEN RETURN '{}'; END IF;
  RETURN ARRAY(SELECT item #>> '{}'
                 FROM json_array_elements(list) AS item
                WHERE json_typeof(item) = 'string' AND char_length(item #>> '{}') BETWEEN 1 AND 64
                LIMIT 20);
END $$;

-- NULL unless it is a text.
CREATE FUNCTION resource.owner(metadata json) RETURNS text
  LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  owner json := resource.member(metadata, 'owner');
BEGIN
  RETURN CASE json_typeof(owner) WHEN 'string' THEN owner #>> '{}' END;
END $$;

-- Without a list of pending entries, which a search would have to read through.
CREATE INDEX flags_by_tag ON resource.flags USING gin (resource.tags(metadata) COLLATE "C")
  WITH (fastupdate = off) WHERE metadata IS NOT NULL;
