/** The reflected IEEE 802.3 polynomial, one byte at a time. */
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  }
  return remainder
})

/**
 * CRC-32 (ISO 3309) over the UTF-8 bytes of two texts, one after the other, as an unsigned integer.
 *
 * Ours rather than `node:zlib`'s because it takes both texts without joining them, costs about
 * two thirds of a call into zlib for texts as short as keys, and runs outside Node.
 */
export function crc32(first: string, second: string): number {
  return ~update(update(-1, first), second) >>> 0
}

function update(start: number, text: string): number {
  let crc = start
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) return updateEncoded(crc, text.slice(i))
    crc = next(crc, unit)
  }
  return crc
}

// A lone surrogate becomes U+FFFD, as it does wherever text is encoded as UTF-8.
function updateEncoded(start: number, text: string): number {
  return new TextEncoder().encode(text).reduce(next, start)
}

function next(crc: number, byte: number): number {
  return (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
}
