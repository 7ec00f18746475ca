import {
  distributionBucket,
  distributionPlaces,
  extendBound,
  thresholdBucket,
  thresholdPlaces,
  thresholdWidth,
} from '../bucket.ts'
import { crc32 } from '../crc32.ts'
import { shiftBy } from '../crc32-join.ts'
import { crcOf, type Entity } from '../entity.ts'
import type { Bucket, Share } from './explanation.ts'
import { shorten } from './shorten.ts'

/** Where an entity stands to a threshold of a boolean flag. */
export function bucketOfThreshold(
  flagKey: string,
  entity: Entity,
  { percentage, value }: { readonly percentage: number; readonly value: boolean },
): Bucket {
  const place = thresholdBucket(crc32(flagKey), shiftBy(flagKey), crcOf(entity))
  const to = thresholdWidth(percentage)
  const share = { serves: String(value), from: 0, to, chosen: place < to }
  return bucket(entity, place, thresholdPlaces, [share])
}

/**
 * Where an entity stands among the distributions of a rule.
 *
 * @param rollouts of variants by their keys; the empty key is of a variant that does not exist
 */
export function bucketOfDistributions(
  flagKey: string,
  entity: Entity,
  rollouts: readonly { readonly serves: string; readonly rollout: number }[],
): Bucket {
  const place = distributionBucket(crc32(flagKey), entity.id)
  let from = 0
  const shares = rollouts.map(({ serves, rollout }) => {
    const to = extendBound(from, rollout)
    const share = { serves, from, to, chosen: place >= from && place < to }
    from = to
    return share
  })
  return bucket(entity, place, distributionPlaces, shares)
}

function bucket({ id }: Entity, place: number, places: number, shares: readonly Share[]): Bucket {
  return { place, places, by: 'entityId', of: shorten(id), shares }
}
