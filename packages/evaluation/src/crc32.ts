/** The reflected IEEE 802.3 polynomial, one byte at a time. */
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  }
  return remainder
})

const encoder = new TextEncoder()

/**
 * CRC-32 (ISO 3309) over the UTF-8 bytes of a text, as a signed integer: those are kept without
 * allocation.
 *
 * Ours rather than `node:zlib`'s because it continues where another text ended, costs a fraction of a
 * call into zlib for texts as short as keys, and runs outside Node.
 *
 * @param before the CRC-32 of the text that this one follows
 */
export function crc32(text: string, before = 0): number {
  let crc = ~before
  let units = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    units |= unit
    crc = next(crc, unit)
  }
  return units < 0x80 ? ~crc : crc32OfBytes(text, before)
}

// A lone surrogate becomes U+FFFD, as it does wherever text is encoded as UTF-8.
function crc32OfBytes(text: string, before: number): number {
  return ~encoder.encode(text).reduce(next, ~before)
}

function next(crc: number, byte: number): number {
  return (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
}
