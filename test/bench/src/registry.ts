import { measureBatch } from './batch.ts'
import { measureClient, measureClientAtSize } from './client.ts'
import { measureEngine } from './engine.ts'
import { measureGrowth } from './growth.ts'
import { measureHttp } from './http.ts'
import { measureManagement } from './management.ts'
import { measureMetrics } from './metrics.ts'
import type { SuiteName } from './options.ts'
import { measurePeers } from './peers.ts'
import { measurePropagationRow } from './propagation.ts'
import type { Bench, RowId } from './row.ts'
import { measureWrites } from './writes.ts'

export interface Entry {
  readonly ids: readonly RowId[]
  readonly measure: Bench
  /** Whether it starts services, which need a PostgreSQL. */
  readonly needsDatabase: boolean
}

/** In the order in which they run. */
export const entries: readonly Entry[] = [
  { ids: ['http'], measure: measureHttp, needsDatabase: true },
  { ids: ['metrics'], measure: measureMetrics, needsDatabase: true },
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

/** What `pnpm bench NAME` measures: what takes more than this repository, programs of the reader, or long. */
export const suites: Readonly<Record<SuiteName, readonly Entry[]>> = {
  client: [
    {
      ids: ['client.engine', 'client.flagd-core', 'client.unleash'],
      measure: measureClient,
      needsDatabase: false,
    },
    {
      ids: ['client.ready-ms', 'client.turn-ms'],
      measure: measureClientAtSize,
      needsDatabase: true,
    },
  ],
  /** Beside an earlier commit, which is built first. */
  management: [
    {
      ids: ['management.get', 'management.page', 'management.update'],
      measure: measureManagement,
      needsDatabase: true,
    },
  ],
  /** Beside the last commit without a log of changes. */
  writes: [
    {
      ids: ['writes.update', 'writes.bytes-per-change'],
      measure: measureWrites,
      needsDatabase: true,
    },
  ],
  peers: [
    {
      ids: ['peers.unleash-edge', 'peers.flagd', 'peers.flipt'],
      measure: measurePeers,
      needsDatabase: true,
    },
  ],
}
