/** Whether a client prefers a page to data (RFC 9110 section 12.5.1), as a browser that navigates. */
export function prefersHtml(accept = ''): boolean {
  const html = qualityOf('text/html', accept)
  return html > 0 && html >= qualityOf('application/json', accept)
}

/** Whether a client names an encoding that it can read (RFC 9110 section 12.5.3). */
export function acceptsEncoding(encoding: string, accepted = ''): boolean {
  return qualityOf(encoding, accepted) > 0
}

/** @returns 0 for one that is not named */
function qualityOf(one: string, accepted: string): number {
  for (const range of accepted.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (name !== one) continue
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}
