import { type FastDistribution, fastHistogram, observeGauge } from '@svc/telemetry'

/** Operations that are told apart; a statement that begins otherwise is `other`. */
const operations = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'WITH', 'BEGIN', 'COMMIT', 'ROLLBACK']

/** Operations of the texts that were run, which are a few hundred. */
const operationOf = new Map<string, string>()
const maxTexts = 1000

let durations: ((operation: string, hasFailed: boolean) => FastDistribution) | undefined

/** Measures the statements of this process, from now on. */
function measureStatements(): void {
  const series = fastHistogram('db.client.operation.duration')
  const known = new Map<string, FastDistribution>()
  durations = (operation, hasFailed) => {
    const key = `${operation} ${hasFailed}`
    const found = known.get(key) ?? series(attributesOf(operation, hasFailed))
    known.set(key, found)
    return found
  }
}

function attributesOf(operation: string, hasFailed: boolean) {
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation }
  return hasFailed ? { ...attributes, 'error.type': '_OTHER' } : attributes
}

/** Runs a statement and measures how long it takes. */
export async function measured<T>(text: string, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  let hasFailed = true
  try {
    const result = await run()
    hasFailed = false
    return result
  } finally {
    durations?.(nameOf(text), hasFailed).record((performance.now() - startedAt) / 1000)
  }
}

function nameOf(text: string): string {
  const known = operationOf.get(text)
  if (known !== undefined) return known
  const [word = ''] = text.trimStart().split(/\s/, 1)
  const name = operations.find((operation) => operation === word.toUpperCase()) ?? 'other'
  if (operationOf.size < maxTexts) operationOf.set(text, name)
  return name
}

/** What is measured of a pool: connections that are open, those of them that are idle, and those that are being made. */
export interface PoolCounts {
  readonly open: number
  readonly idle: number
  readonly connecting: number
  /** Callers that wait for one. */
  readonly waiting: number
}

/** @returns what ends it */
export function measurePool(pool: string, count: () => PoolCounts): () => void {
  measureStatements()
  const ends = [
    observeGauge('svc.pool.connections', (result) => {
      const { open, idle, connecting } = count()
      result.observe(idle, { pool, state: 'idle' })
      result.observe(open - idle, { pool, state: 'used' })
      result.observe(connecting, { pool, state: 'connecting' })
    }),
    observeGauge('svc.pool.waiting', (result) => result.observe(count().waiting, { pool })),
  ]
  return () => {
    for (const end of ends) end()
  }
}
