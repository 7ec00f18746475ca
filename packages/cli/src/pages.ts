/** One page of a list. */
interface Page<Row> {
  readonly rows: readonly Row[]
  /** Empty on the last page. */
  readonly next: string
}

/**
 * Reads all pages of a list, or as many rows as `limit`.
 *
 * @param readPage is also told how many rows there are so far
 */
export async function readAll<Row>(
  readPage: (pageToken: string | undefined, count: number) => Promise<Page<Row>>,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  let pageToken: string | undefined
  do {
    const page = await readPage(pageToken, rows.length)
    rows.push(...page.rows)
    pageToken = page.next === '' || rows.length >= limit ? undefined : page.next
  } while (pageToken !== undefined)
  return rows.length > limit ? rows.slice(0, limit) : rows
}
