import { createTestDatabase } from '@svc/database/testing'
import { type Fleet, startFleet } from '@svc/test/support/fleet'
import { onBothCores } from '@svc/test/support/machine'
import { openBaseline } from './baseline.ts'
import { cpuMsOf, cpuMsOfTree, parentOf } from './growth/usage.ts'
import { measureThroughput } from './load/closed-loop.ts'
import { type Question, type RequestParts, requestBytes } from './load/question.ts'
import { alternate, type Compared, medianOf } from './load/statistics.ts'
import { connections, flagCount, keyOf, makeFlags, updateOf } from './management/flags.ts'
import type { Row, RowId, Run } from './row.ts'

/** The last commit before the management path was made cheap. */
const baselineCommit = 'c41fef6'

const usual = { rounds: 8, durationMs: 3000, warmUpMs: 8000 }
const quick = { rounds: 3, durationMs: 1500, warmUpMs: 3000 }

/** Requests of one kind, each about another flag, and the ratio that they have to reach. */
interface Operation {
  readonly id: RowId
  readonly what: string
  readonly atMost: number
  question(number: number): RequestParts & { check(body: unknown): boolean }
}

const flagsPath = '/api/v1/namespaces/default/flags'
const pageSize = 100

const operations: readonly Operation[] = [
  {
    id: 'management.get',
    what: 'a flag read',
    atMost: 0.6,
    question: (number) => ({
      method: 'GET',
      path: `${flagsPath}/${keyOf(number)}`,
      check: (flag) => (flag as { variants: unknown[] }).variants.length === 2,
    }),
  },
  {
    id: 'management.page',
    what: `a page of ${pageSize} flags read`,
    atMost: 0.55,
    question: (number) => ({
      method: 'GET',
      path: `${flagsPath}?limit=${pageSize}&offset=${(number % (flagCount / pageSize)) * pageSize}`,
      check: (page) => (page as { flags: unknown[] }).flags.length === pageSize,
    }),
  },
  {
    id: 'management.update',
    what: 'a flag updated',
    atMost: 0.7,
    question: (number) => ({
      method: 'PUT',
      path: `${flagsPath}/${keyOf(number)}`,
      body: updateOf(`Flag ${number}`),
      check: (flag) => (flag as { name: string }).name === `Flag ${number}`,
    }),
  },
]

/** Microseconds of processor time for a request, in all processes and in each. */
type Cost = Readonly<Record<'total' | 'gateway' | 'auth' | 'resource' | 'postgres', number>>

interface Side {
  readonly fleet: Fleet
  readonly postmaster: number
}

/** The management API of this commit beside that of the baseline, by processor time. */
export async function measureManagement(run: Run): Promise<readonly Row[]> {
  const baseline = await openBaseline(baselineCommit, run.say)
  const before = await startSide(run, baseline.startFleet)
  const now = await startSide(run, startFleet)
  const { rounds, durationMs, warmUpMs } = run.quick ? quick : usual
  const rows: Row[] = []
  for (const operation of operations) {
    for (const side of [before, now]) await measure(side, operation, warmUpMs)
    const compared = await alternate(
      rounds,
      () => measure(before, operation, durationMs),
      () => measure(now, operation, durationMs),
      ({ total }) => total,
    )
    rows.push(toRow(operation, compared))
    run.say(`${operation.id}: ${rows.at(-1)?.ratio.toFixed(2)}`)
  }
  return rows
}

async function startSide(run: Run, start: typeof startFleet): Promise<Side> {
  const database = await createTestDatabase(run)
  const fleet = await onBothCores(() => start(run, { databaseUrl: database.url }))
  await makeFlags(fleet)
  const [row] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return { fleet, postmaster: parentOf(row?.pid ?? 0) }
}

async function measure(side: Side, operation: Operation, durationMs: number): Promise<Cost> {
  const { fleet, postmaster } = side
  const [{ port } = { port: 0 }] = fleet.gateways
  const before = readCost(fleet, postmaster)
  const questions = askAll(operation, fleet.token)
  const { answered } = await measureThroughput(port, questions, durationMs, connections)
  const after = readCost(fleet, postmaster)
  const perRequest = (name: keyof Cost) => ((after[name] - before[name]) * 1000) / answered
  return {
    total: perRequest('total'),
    gateway: perRequest('gateway'),
    auth: perRequest('auth'),
    resource: perRequest('resource'),
    postgres: perRequest('postgres'),
  }
}

function readCost({ gateways, auths, resources }: Fleet, postmaster: number): Cost {
  const sumOf = (processes: Fleet['gateways']) =>
    processes.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0)
  const gateway = sumOf(gateways)
  const auth = sumOf(auths)
  const resource = sumOf(resources)
  const postgres = cpuMsOfTree(postmaster)
  return { total: gateway + auth + resource + postgres, gateway, auth, resource, postgres }
}

function askAll(operation: Operation, token: string): readonly Question[] {
  return Array.from({ length: flagCount }, (_, number) => {
    const { check, ...request } = operation.question(number)
    return {
      bytes: requestBytes({ ...request, authorization: `Bearer ${token}` }),
      check(body) {
        if (!check(JSON.parse(body))) throw new Error(`a wrong answer: ${body.slice(0, 500)}`)
      },
    }
  })
}

function toRow({ id, what, atMost }: Operation, { a, b, ratio }: Compared<Cost>): Row {
  const parts = (['gateway', 'auth', 'resource', 'postgres'] as const).map(
    (name) => `${name} ${pair(a, b, name)}`,
  )
  return {
    id,
    ratio,
    target: { atMost },
    what: `processor time of all processes for ${what}, over that of the baseline`,
    detail: `${pair(a, b, 'total')} µs: ${parts.join(', ')}`,
  }
}

function pair(a: readonly Cost[], b: readonly Cost[], name: keyof Cost): string {
  return [b, a].map((side) => medianOf(side, name).toFixed(0)).join('/')
}
