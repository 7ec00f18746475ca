/** Whether an `If-None-Match` header names the tag: bare, quoted or weak, alone or among others. */
export function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header
    .split(',')
    .some((item) => /^(?:W\/)?(?:"(.*)"|(.*))$/.exec(item.trim())?.slice(1).includes(etag))
}
