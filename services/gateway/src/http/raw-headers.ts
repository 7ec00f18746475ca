/**
 * Every value of a header as it was sent: the parsed form joins some and drops others.
 *
 * @param name in lower case
 */
export function rawHeaderValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name)
}
