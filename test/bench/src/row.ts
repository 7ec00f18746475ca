/** What the rows are called, in the order in which they are printed. */
export const rowIds = [
  'http',
  'metrics',
  'engine.flagd-core',
  'engine.unleash',
  'engine.flipt',
  'growth.latency',
  'growth.bytes-per-change',
  'memory.bytes-per-flag',
  'propagation.p99-ms',
  'batch',
  'management.get',
  'management.page',
  'management.update',
  'writes.update',
  'writes.bytes-per-change',
  'client.engine',
  'client.flagd-core',
  'client.unleash',
  'client.ready-ms',
  'client.turn-ms',
  'peers.unleash-edge',
  'peers.flagd',
  'peers.flipt',
] as const

export type RowId = (typeof rowIds)[number]

export interface Figure {
  /** A ratio of two measurements of one run, unless `unit` says otherwise; NaN when not measured. */
  readonly ratio: number
  /** What the figure counts. Left out for a ratio. */
  readonly unit?: 'bytes' | 'ms' | 'ns'
  /** What was measured, and against what. */
  readonly what: string
  /** What the figure has to reach. Left out where it only informs. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number }
  /** What went into it, with numbers: a few words, or nothing. */
  readonly detail: string
}

export interface Row extends Figure {
  readonly id: RowId
  /** Further figures of the same measurement, by a short name each. */
  readonly also?: Readonly<Record<string, Figure>>
}

/** What a row is measured with. */
export interface Run {
  /** Whether to take the least time in which the figures still mean something. */
  readonly quick: boolean
  /** Says how far it is. */
  say(line: string): void
  /** Has something done when the row is measured, or cannot be; the last one first. */
  teardown(work: () => Promise<void>): void
}

/** Measures one row or a few that belong together. */
export type Bench = (run: Run) => Promise<readonly Row[]>

/** Whether the figure is where it has to be. */
export function isReached({ ratio, target }: Figure): boolean {
  if (target === undefined) return true
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost
}
