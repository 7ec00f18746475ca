/** Pages of this size are read, the largest that the service gives. */
const pageSize = 100
const maxPages = 10

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextPageToken: string
}

export interface Pages<Item> {
  readonly items: readonly Item[]
  /** Whether there are more than were read. */
  readonly isCut: boolean
}

/**
 * Reads a list that the service gives in pages, and cannot search or sort: up to a thousand items.
 *
 * @param read reads the page after the one that gave this token; the first one by an empty one
 */
export async function readPages<Item>(
  read: (limit: number, pageToken: string) => Promise<Page<Item>>,
): Promise<Pages<Item>> {
  const items: Item[] = []
  let pageToken = ''
  for (let page = 0; page < maxPages; page++) {
    const { items: more, nextPageToken } = await read(pageSize, pageToken)
    items.push(...more)
    pageToken = nextPageToken
    if (pageToken === '') break
  }
  return { items, isCut: pageToken !== '' }
}
