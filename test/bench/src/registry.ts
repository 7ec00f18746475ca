import { measureBatch } from './batch.ts'
import { measureEngine } from './engine.ts'
import { measureGrowth } from './growth.ts'
import { measureHttp } from './http.ts'
import { measurePeers } from './peers.ts'
import { measurePropagationRow } from './propagation.ts'
import type { Bench, RowId } from './row.ts'

export interface Entry {
  readonly ids: readonly RowId[]
  readonly measure: Bench
  /** Whether it starts services, which need a PostgreSQL. */
  readonly needsDatabase: boolean
}

/** In the order in which they run. */
export const entries: readonly Entry[] = [
  { ids: ['http'], measure: measureHttp, needsDatabase: true },
  {
    ids: ['engine.flagd-core', 'engine.unleash', 'engine.flipt'],
    measure: measureEngine,
    needsDatabase: false,
  },
  {
    ids: ['growth.latency', 'growth.bytes-per-change', 'memory.bytes-per-flag'],
    measure: measureGrowth,
    needsDatabase: true,
  },
  { ids: ['propagation.p99-ms'], measure: measurePropagationRow, needsDatabase: true },
  { ids: ['batch'], measure: measureBatch, needsDatabase: true },
]

/** What `pnpm bench peers` measures: programs that the reader has to bring. */
export const peerEntries: readonly Entry[] = [
  {
    ids: ['peers.unleash-edge', 'peers.flagd', 'peers.flipt'],
    measure: measurePeers,
    needsDatabase: true,
  },
]
