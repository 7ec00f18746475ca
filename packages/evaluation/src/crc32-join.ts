import { crc32 } from './crc32.ts'

/**
 * What becomes of the CRC-32 of a text when another one follows, but for the CRC-32 of that other
 * one. As a CRC is linear, that depends on nothing but the other's length, and the images of each
 * byte in each of its four places say it all: they are here, one place after the other.
 */
export type Shift = Int32Array

/** Keys have no more bytes. At 4 KiB a shift, those that are kept take 1 MiB at most. */
const maxKept = 255
const kept = new Map<number, Shift>()

/** The shift by one text; the same object for all texts of its length, up to {@link maxKept}. */
export function shiftBy(text: string): Shift {
  const { length } = new TextEncoder().encode(text)
  const known = kept.get(length)
  if (known !== undefined) return known
  const own = crc32(text)
  const shift = Int32Array.from({ length: 4 * 256 }, (_, i) => {
    const image = (i & 0xff) << (8 * (i >>> 8))
    return crc32(text, image) ^ own
  })
  if (length <= maxKept) kept.set(length, shift)
  return shift
}

/** The CRC-32 of two texts, one after the other, of which `shift` is by the second. */
export function joinCrc32(first: number, second: number, shift: Shift): number {
  return (
    at(shift, first & 0xff) ^
    at(shift, 0x100 + ((first >>> 8) & 0xff)) ^
    at(shift, 0x200 + ((first >>> 16) & 0xff)) ^
    at(shift, 0x300 + (first >>> 24)) ^
    second
  )
}

function at(shift: Shift, index: number): number {
  return shift[index] ?? 0
}
