/** The position after which the next page begins. Opaque to callers. */
export function formatPageToken(position: number): string {
  return Buffer.from(`after ${position}`).toString('base64url')
}

/** A foreign text means the first page, as clients of this interface expect. */
export function parsePageToken(pageToken: string): number {
  const text = Buffer.from(pageToken, 'base64url').toString()
  const position = Number(/^after (\d+)$/.exec(text)?.[1] ?? 0)
  return Number.isSafeInteger(position) ? position : 0
}
