import { crc32 } from './crc32.ts'

/** Places of a flag's distributions: a ten-thousandth of a percent each. */
const distributionPlaces = 1_000_000

/** Places of a threshold: a thousandth of a percent each. */
const thresholdPlaces = 100_000

/**
 * Where an entity stands among the 1,000,000 places of a flag's distributions.
 *
 * The same entity and flag land in the same place in every process and release, and another flag
 * shuffles the entities anew. A CRC is fast and spreads short keys evenly; it need not resist
 * attack, for an entity gains nothing by choosing its place. The flag's key comes first here and
 * last in {@link thresholdBucket}: changing either would move every entity there is.
 */
export function distributionBucket(flagKey: string, entityId: string): number {
  const hash = crc32(flagKey, entityId)
  return (hash % 1000) * 1000 + (Math.floor(hash / 1000) % 1000)
}

/** Where an entity stands among the 100,000 places of a flag's thresholds. */
export function thresholdBucket(flagKey: string, entityId: string): number {
  const hash = crc32(entityId, flagKey)
  return (hash % 100) * 1000 + (Math.floor(hash / 100) % 1000)
}

/** How many distribution places a percentage covers. */
export function distributionWidth(percentage: number): number {
  return width(percentage, distributionPlaces)
}

/** How many threshold places a percentage covers. */
export function thresholdWidth(percentage: number): number {
  return width(percentage, thresholdPlaces)
}

/** The bound up to which places are taken, once one more percentage has been laid after `bound`. */
export function extendBound(bound: number, percentage: number): number {
  return Math.min(bound + distributionWidth(percentage), distributionPlaces)
}

function width(percentage: number, places: number): number {
  if (!(percentage > 0)) return 0
  return Math.round(Math.min(percentage, 100) * (places / 100))
}
