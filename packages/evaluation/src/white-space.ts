const space = /\p{White_Space}/u

/**
 * Takes white space off both ends: Unicode's White_Space, which is not what `String.prototype.trim`
 * takes off: that has U+FEFF besides and lacks U+0085.
 */
export function trim(text: string): string {
  const start = firstInk(text)
  let end = text.length
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

export function isBlank(text: string): boolean {
  return firstInk(text) === text.length
}

function firstInk(text: string): number {
  let start = 0
  while (start < text.length && isSpace(text.charCodeAt(start))) start++
  return start
}

function isSpace(unit: number): boolean {
  if (unit >= 0x80) return space.test(String.fromCharCode(unit))
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
}
