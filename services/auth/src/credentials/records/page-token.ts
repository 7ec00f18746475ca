/** Where the next page begins: after this position. Opaque to callers. */
export function formatPageToken(position: number): string {
  return Buffer.from(`after ${position}`).toString('base64url')
}

/** What is none of ours begins at the beginning, as clients of this interface are used to. */
export function parsePageToken(pageToken: string): number {
  const text = Buffer.from(pageToken, 'base64url').toString()
  const position = Number(/^after (\d+)$/.exec(text)?.[1] ?? 0)
  return Number.isSafeInteger(position) ? position : 0
}
