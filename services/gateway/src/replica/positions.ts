import type { Position } from '@svc/proto/resource/v1/gateways'
import { LRUCache } from 'lru-cache'
import type { ReplicaChange } from './replica.ts'

/** Maximum positions of a report: 50 KB of JSON in the database. */
export const maxPositions = 1000

/** How long a position is reported, in milliseconds. */
const keptMs = 3_600_000

/**
 * The namespaces that changed within the last hour, with their revisions here. Those that did not need no
 * position: the resource service knows of them by the age of what is here.
 */
export class Positions {
  readonly #positions = new LRUCache<string, Position>({ max: maxPositions, ttl: keptMs })

  /** @param isNews whether the change was made while this process had everything else */
  note({ namespaceKey, revision, ageMs }: ReplicaChange, isNews: boolean): void {
    const position = { namespaceKey, revision }
    if (ageMs === undefined) this.#positions.set(namespaceKey, position)
    else if (ageMs > keptMs) this.#positions.delete(namespaceKey)
    else if (!isNews) this.#positions.set(namespaceKey, position)
    else this.#positions.set(namespaceKey, { ...position, tookMs: Math.round(ageMs) })
  }

  /** The last to change first. */
  list(): Position[] {
    return [...this.#positions.values()]
  }
}
