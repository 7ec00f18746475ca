import { crc32 } from './crc32.ts'
import { joinCrc32, type Shift } from './crc32-join.ts'

/** Places of a flag's distributions: a ten-thousandth of a percent each. */
export const distributionPlaces = 1_000_000

/** Places of a threshold: a thousandth of a percent each. */
export const thresholdPlaces = 100_000

/**
 * Where an entity stands among the 1,000,000 places of a flag's distributions.
 *
 * The same entity and flag land in the same place in every process and release, and another flag
 * shuffles the entities anew. A CRC is fast and spreads short keys evenly; it need not resist
 * attack, for an entity gains nothing by choosing its place. The flag's key comes first here and
 * last in {@link thresholdBucket}: changing either would move every entity there is.
 *
 * @param keyCrc the CRC-32 of the flag's key
 */
export function distributionBucket(keyCrc: number, entityId: string): number {
  const hash = crc32(entityId, keyCrc) >>> 0
  return (hash % 1000) * 1000 + (quotient(hash, 1000) % 1000)
}

/**
 * Where an entity stands among the 100,000 places of a flag's thresholds.
 *
 * @param keyCrc the CRC-32 of the flag's key
 * @param keyShift by the flag's key
 * @param entityCrc the CRC-32 of the entity's id
 */
export function thresholdBucket(keyCrc: number, keyShift: Shift, entityCrc: number): number {
  const hash = joinCrc32(entityCrc, keyCrc, keyShift) >>> 0
  return (hash % 100) * 1000 + (quotient(hash, 100) % 1000)
}

/** How many threshold places a percentage covers. */
export function thresholdWidth(percentage: number): number {
  return width(percentage, thresholdPlaces)
}

/** The bound up to which places are taken, once one more percentage has been laid after `bound`. */
export function extendBound(bound: number, percentage: number): number {
  return Math.min(bound + width(percentage, distributionPlaces), distributionPlaces)
}

// Math.floor would make a double of it, whose remainder takes a call.
function quotient(dividend: number, divisor: number): number {
  return (dividend / divisor) >>> 0
}

function width(percentage: number, places: number): number {
  if (!(percentage > 0)) return 0
  return Math.round(Math.min(percentage, 100) * (places / 100))
}
