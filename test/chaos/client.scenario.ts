import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Flags } from '@svc/client'
import { waitFor } from '@svc/runtime/testing'
import type { Test } from 'tap'
import { createToken } from '../support/api.ts'
import { quiet } from '../support/client-shop.ts'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { createRestorableDatabase } from '../support/restorable-database.ts'
import { untilReady } from '../support/stack.ts'

/** Evaluations a second of the application. */
const evaluationsPerSecond = 10_000

/** Interval of the writes, in milliseconds. */
const writeMs = 200

/** Time in which flags have to be fresh after a fault has healed, in milliseconds. */
const maxHealMs = 2000

const namespace = 'chaos'
const base = `/api/v1/namespaces/${namespace}`

/** What happens to the service. Resolves when it has healed. */
export type Fault = (holdMs: number) => Promise<void>

/**
 * An application with a client of each mode, a writer at another gateway, and what may happen to them. Each
 * change sets two flags and a segment to the same number, so that each answer tells of which change it is.
 */
export async function startScenario(t: Test) {
  const database = await createRestorableDatabase(t)
  const fleet = await startFleet(t, { databaseUrl: database.url, gateways: 2 })
  const [gateway] = fleet.gateways
  const [url, writerUrl = ''] = fleet.urls
  const [auth] = fleet.auths
  const [resource] = fleet.resources
  if (gateway === undefined || auth === undefined || resource === undefined) throw new Error('none')
  const headers = { authorization: `Bearer ${fleet.token}` }
  const api = (method: string, path: string, body?: object) =>
    call(writerUrl, method, path, body, headers)

  /** The numbers that answers may have, by revision; also those of writes whose answer was lost. */
  const written = new Set<string>()
  const uncertain = new Set<number>()
  let number = 0
  let latest = 0
  const write = async () => {
    const n = ++number
    const body = { operations: operationsFor(n) }
    const answer = await api('POST', `${base}/apply`, body).catch(() => undefined)
    const revision = Number(answer?.headers.get('x-svc-revision')?.split(':')[1])
    if (answer?.status !== 200 || !(revision > 0)) {
      uncertain.add(n)
      return
    }
    written.add(`${revision}:${n}`)
    latest = revision
  }
  await api('POST', '/api/v1/namespaces', { key: namespace, name: 'Chaos' })
  await write()
  if (latest === 0) throw new Error('the flags could not be made: the operations are refused')

  const folder = await mkdtemp(join(tmpdir(), 'client-chaos-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const tokenFile = join(folder, 'token')
  const replaceToken = async (token: string) => {
    await writeFile(`${tokenFile}.new`, token)
    await rename(`${tokenFile}.new`, tokenFile)
  }
  /** Is in the backup, and never revoked. */
  const oldest = await createToken(fleet.api)
  await withoutServices(() => database.backUp())
  const revisionOfBackup = latest
  let current = await createToken(fleet.api)
  await replaceToken(current.clientToken)
  const revoke = async ({ id }: typeof current) => {
    const { status, text } = await fleet.api('DELETE', `/auth/v1/tokens/${id}`)
    if (status !== 200) throw new Error(`the token could not be revoked: ${text}`)
  }
  const renewToken = async () => {
    current = await createToken(fleet.api)
    await replaceToken(current.clientToken)
  }

  const common = { url, namespace, credential: { tokenFile }, logger: quiet().logger }
  const local = await connect({ ...common, lastKnownGood: join(folder, 'flags.json') })
  t.teardown(() => local.close())
  const remote = await connect({ ...common, mode: 'remote' })
  t.teardown(() => remote.close())
  const application = startApplication(local, remote)
  let isWriting = true
  let isEnded = false
  const writing = (async () => {
    for (; !isEnded; await sleep(writeMs)) if (isWriting) await write()
  })()

  async function withoutServices(work: () => Promise<void>): Promise<void> {
    await Promise.all([auth?.kill(), resource?.kill()])
    await work()
    await Promise.all([auth?.restart(), resource?.restart()])
    await untilReady(url)
    // Each gateway connects again by itself.
    for (const request of [api, fleet.api]) {
      for (const path of [base, '/auth/v1/tokens']) {
        await waitFor(async () => (await request('GET', path)).status === 200)
      }
    }
  }

  const faults: Readonly<Record<string, Fault>> = {
    async 'gateway killed'(holdMs) {
      await gateway.kill('SIGKILL')
      await sleep(holdMs)
      await gateway.restart()
      await untilReady(url)
    },
    async 'gateway hung'(holdMs) {
      await gateway.kill('SIGSTOP')
      await sleep(holdMs)
      await gateway.kill('SIGCONT')
    },
    async 'gateway restarted'() {
      await gateway.kill('SIGTERM')
      await gateway.restart()
      await untilReady(url)
    },
    async 'token rotated'() {
      const before = current
      await renewToken()
      await revoke(before)
    },
    async 'token revoked'(holdMs) {
      await revoke(current)
      await sleep(holdMs)
      await renewToken()
    },
    async 'database reset'() {
      await replaceToken(oldest.clientToken)
      isWriting = false
      await sleep(2 * writeMs)
      await withoutServices(() => database.restore())
      latest = revisionOfBackup
    },
    async 'clock moved'(holdMs) {
      const { now } = Date
      for (const hours of [25, -25]) {
        Date.now = () => now() + hours * 3_600_000
        await sleep(holdMs / 2)
      }
      Date.now = now
    },
  }

  return {
    faults,
    application,
    /** Lets a fault happen. @returns milliseconds after it healed until each client was fresh */
    async suffer(fault: Fault, holdMs: number): Promise<number> {
      await fault(holdMs)
      const healedAt = performance.now()
      const wanted = latest
      const isFresh = ({ revision, isStale }: Flags) =>
        !isStale && (isWriting ? revision >= wanted : revision === wanted)
      await waitFor(() => isFresh(local) && isFresh(remote))
      const tookMs = performance.now() - healedAt
      // The reset took the token with it.
      if (!isWriting) await renewToken()
      isWriting = true
      return tookMs
    },
    /** @returns what was answered that no change made, and all that was thrown */
    async end() {
      isEnded = true
      await writing
      application.stop()
      // A change may be here before its writer has the answer.
      const unknown = [...application.seen].filter(
        (pair) => !written.has(pair) && !uncertain.has(Number(pair.split(':')[1])),
      )
      return { wrong: [...application.mixed, ...unknown], thrown: application.thrown }
    },
    maxHealMs,
  }
}

/** The change that sets all to a number. */
function operationsFor(n: number): object[] {
  const attachment = JSON.stringify({ n })
  const variants = [{ key: 'one', attachment, default: true }]
  const flag = { name: 'A number', type: 'VARIANT_FLAG_TYPE', enabled: true, variants }
  const numbers = ['a', 'b'].map((key) => ({ kind: 'FLAG_KIND', key, flag }))
  const constraint = { property: 'n', operator: 'eq', value: String(n) }
  const constraints = [{ type: 'STRING_COMPARISON_TYPE', ...constraint }]
  const segment = { name: 'Those of the number', constraints }
  const rollouts = [{ segment: { segments: ['same'], value: true } }]
  const same = { name: 'Same', type: 'BOOLEAN_FLAG_TYPE', enabled: false, rollouts }
  return [
    ...numbers,
    { kind: 'SEGMENT_KIND', key: 'same', segment },
    { kind: 'FLAG_KIND', key: 'same', flag: same },
  ]
}

/** Evaluates all the time, and looks at each answer. */
function startApplication(local: Flags, remote: Flags) {
  /** Each revision and number that answers had. */
  const seen = new Set<string>()
  /** Answers that are of several changes at once; a few of them. */
  const mixed: string[] = []
  const thrown: unknown[] = []
  const startedAt = performance.now()
  let evaluations = 0
  const look = (flags: Flags) => {
    const one = flags.evaluate('a')
    const other = flags.evaluate('b')
    const n = numberOf(one.attachment)
    const isOfOne = n === numberOf(other.attachment) && one.revision === other.revision
    const isWhole =
      flags.mode === 'remote' ||
      flags.boolean('same', { entityId: 'e', context: { n: String(n) } }, false)
    if (isOfOne && isWhole) seen.add(`${one.revision}:${n}`)
    else if (mixed.length < 10)
      mixed.push(JSON.stringify({ mode: flags.mode, one, other, isWhole }))
  }
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * evaluationsPerSecond
    try {
      while (evaluations < due) {
        look(local)
        evaluations += 3
        if (evaluations % 10 === 0) look(remote)
      }
    } catch (error) {
      thrown.push(error)
    }
  }, 5)
  return {
    seen,
    mixed,
    thrown,
    get seconds() {
      return (performance.now() - startedAt) / 1000
    },
    /** Of the local client. */
    get perSecond() {
      return evaluations / ((performance.now() - startedAt) / 1000)
    },
    stop: () => clearInterval(timer),
  }
}

function numberOf(attachment: unknown): number {
  return Number(Reflect.get(Object(attachment), 'n'))
}
