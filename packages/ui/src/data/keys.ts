/** What a key may be made of. */
export const keyPattern = /^[A-Za-z0-9_,-]+$/
export const maxKeyLength = 255

/** Letters that are not in ASCII, and what stands for them. What has marks alone loses them. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  æ: 'ae',
  ø: 'o',
  ł: 'l',
}

/** A key out of a name: `Express delivery` becomes `express-delivery`. */
export function keyFor(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFC')
    .replace(/[ßäöüæøł]/g, (letter) => letters[letter] ?? '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, maxKeyLength)
}
