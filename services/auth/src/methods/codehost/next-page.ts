/**
 * Finds the URL of the next page in a `Link` header (RFC 8288).
 *
 * @returns the target of the link whose relation is `next`, as it stands there
 */
export function nextPage(link: string | null): string | undefined {
  for (const [, target, parameters = ''] of (link ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? []
    const relations = (quoted ?? plain ?? '').toLowerCase().split(/\s+/)
    if (relations.includes('next')) return target
  }
  return undefined
}
