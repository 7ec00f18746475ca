/**
 * The difference between two lists of tags, on a third: what others have added or taken away since stays so.
 *
 * @param opened as they were when the edit began
 */
export function mergeTags(
  opened: readonly string[],
  edited: readonly string[],
  present: readonly string[],
): readonly string[] {
  const added = edited.filter((tag) => !opened.includes(tag) && !present.includes(tag))
  const kept = present.filter((tag) => !opened.includes(tag) || edited.includes(tag))
  return [...kept, ...added]
}
