/** Whether a client prefers a page to data (RFC 9110 section 12.5.1), as a browser that navigates. */
export function prefersHtml(accept = ''): boolean {
  const html = qualityOf('text/html', accept)
  return html > 0 && html >= qualityOf('application/json', accept)
}

/** @returns 0 for a type that is not named */
function qualityOf(type: string, accept: string): number {
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}
