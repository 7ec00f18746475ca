import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { createToken } from '../../support/api.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { percentiles, startLoad } from '../../support/load.ts'
import { openFiles, residentMiB } from '../../support/process-stats.ts'
import { createRandom } from '../../support/random.ts'
import { openRawClient, requestBytes } from '../../support/raw-http.ts'
import { redisIsMissing } from '../../support/redis.ts'
import type { ServiceProcess } from '../../support/service-process.ts'
import { slopeOf } from '../../support/trend.ts'
import { startFaultyServers } from './soak.faults.ts'

/** Minutes under load; at night an hour. A quarter of it is not looked at: caches and pools fill. */
const minutes = Number(process.env.SOAK_MINUTES ?? 20)
const perSecond = Number(process.env.SOAK_RATE ?? 200)
const warmUpMs = (minutes * 60_000) / 4

/** Each process is looked at so often, and the least of so many looks counts. */
const lookMs = 1000
const looksPerSample = 30

/** At both ends of what is looked at, nothing is broken for so long: pools end what they do not need. */
const calmMs = Math.min(90_000, warmUpMs)

/** How long something is broken, and how long all is well then, at most. */
const fault = { leastMs: 2000, mostMs: 10_000, pauseMs: 15_000 }

/** How long after a fault of the database requests may still be refused: until it has recovered. */
const recoveryMs = 5000

const limits = { growthMiB: 1, files: 3 }
const tokens = 60

const flagPath = '/api/v1/namespaces/default/flags'

t.test(`a soak of ${minutes} minutes`, { skip: redisIsMissing }, async (t) => {
  // To start on a busy machine takes minutes.
  t.setTimeout((minutes + 30) * 60_000)
  const { databaseUrl, redisUrl, faults } = await startFaultyServers(t)
  const fleet = await startFleet(t, {
    databaseUrl,
    redisUrl,
    auths: 2,
    resources: 2,
    gateways: 2,
    // A small young generation: garbage is collected several times a second, and what grows is none.
    env: { SVC_LOG_LEVEL: 'warn' },
    envOf: Object.fromEntries(
      ['auth', 'resource', 'gateway'].map((name) => [
        name,
        { NODE_OPTIONS: '--max-old-space-size=128 --max-semi-space-size=1' },
      ]),
    ),
  })
  const { api } = fleet
  const processes = {
    'auth 1': fleet.auths[0],
    'auth 2': fleet.auths[1],
    'resource 1': fleet.resources[0],
    'resource 2': fleet.resources[1],
    'gateway 1': fleet.gateways[0],
    'gateway 2': fleet.gateways[1],
  } as Readonly<Record<string, ServiceProcess>>
  const pids = Object.values(processes).map(({ pid }) => pid)
  const flag = { key: 'on', name: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await waitFor(async () => [200, 409].includes((await api('POST', flagPath, flag)).status))
  for (let i = 0; i < 20; i += 1) {
    const written = { ...flag, key: `written-${i}` }
    // On a busy machine the first answer may be late: then it is there.
    await waitFor(async () => [200, 409].includes((await api('POST', flagPath, written)).status))
  }
  const callers: string[] = []
  while (callers.length < tokens) {
    await createToken(api).then(
      ({ authorization }) => callers.push(authorization),
      () => {},
    )
  }
  const clients = fleet.gateways.map(({ port }) => openRawClient(port))
  t.teardown(async () => {
    for (const client of clients) client.close()
  })

  /** Until when what needs the database may be refused. */
  let excusedUntil = 0
  let count = 0
  const send = async (kind: string, method: string, path: string, body?: object) => {
    const authorization = callers[count % callers.length] ?? ''
    const bytes = requestBytes(path, body ? JSON.stringify(body) : '', { authorization }, method)
    const client = clients[count % clients.length]
    const answer = await client?.send(bytes)
    if (answer?.status === 200) return 'right'
    const isExcused = kind !== 'evaluation' && performance.now() < excusedUntil
    if (isExcused && (answer?.status === 503 || answer?.status === 504)) return 'refused'
    return `${kind}: ${answer?.status} ${answer?.text.slice(0, 200)}`
  }
  const load = startLoad(perSecond, () => {
    count += 1
    const turn = count % 20
    if (turn === 0) {
      const written = { ...flag, name: `Written ${count}` }
      return send('write', 'PUT', `${flagPath}/written-${(count / 20) % 20}`, written)
    }
    if (turn % 5 === 1) return send('read', 'GET', `${flagPath}/on`)
    return send('evaluation', 'POST', '/evaluate/v1/boolean', {
      flagKey: 'on',
      entityId: `e${count}`,
    })
  })
  // A token that every replica gets to know, and that ends: what is kept of each has to go.
  let isOver = false
  const making = (async () => {
    for (; !isOver; await sleep(1000)) {
      const made = await createToken(api).catch(() => undefined)
      if (made === undefined) continue
      const { authorization } = made
      await api('POST', '/evaluate/v1/boolean', { flagKey: 'on' }, { authorization }).catch(
        () => {},
      )
      await api('DELETE', `/auth/v1/tokens/${made.id}`).catch(() => {})
    }
  })()

  const resident = new Map<string, [minutes: number, mib: number][]>()
  const files = new Map<string, [minutes: number, count: number][]>()
  const startedAt = performance.now()
  const passedMs = () => performance.now() - startedAt
  const looking = (async () => {
    while (!isOver) {
      const least = new Map<string, { mib: number; files: number }>()
      for (let look = 0; look < looksPerSample && !isOver; look += 1) {
        for (const [name, process] of Object.entries(processes)) {
          const { mib, files } = least.get(name) ?? { mib: Infinity, files: Infinity }
          least.set(name, {
            mib: Math.min(mib, residentMiB(process)),
            files: Math.min(files, openFiles(process)),
          })
        }
        await sleep(lookMs)
      }
      for (const [name, one] of least) {
        resident.set(name, [...(resident.get(name) ?? []), [passedMs() / 60_000, one.mib]])
        files.set(name, [...(files.get(name) ?? []), [passedMs() / 60_000, one.files]])
      }
    }
  })()

  const seed = Number(process.env.SOAK_SEED ?? Date.now())
  const random = createRandom(seed)
  const suffered: Record<string, number> = {}
  const breakUntil = async (endMs: number) => {
    while (passedMs() + fault.mostMs < endMs) {
      const one = random.pick(faults)
      suffered[`${one.row} ${one.name}`] = (suffered[`${one.row} ${one.name}`] ?? 0) + 1
      if (one.isOfDatabase) excusedUntil = Infinity
      await one.suffer(fault.leastMs + random.below(fault.mostMs - fault.leastMs))
      if (one.isOfDatabase) excusedUntil = performance.now() + recoveryMs
      await sleep(random.below(fault.pauseMs))
    }
    await sleep(Math.max(0, endMs - passedMs()))
  }
  const endMs = minutes * 60_000
  await breakUntil(warmUpMs - calmMs)
  await sleep(calmMs)
  await breakUntil(endMs - calmMs)
  await sleep(calmMs)
  isOver = true
  await Promise.all([making, looking])
  const { outcomes, tookMs } = await load.stop()

  t.comment(`SOAK_SEED=${seed}; ${JSON.stringify(suffered)}`)
  t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
  const hold = (what: string, bound: Parameters<typeof figure>[3], measured: number) =>
    figure(t, 'R-26', what, bound, measured)
  const isLooked = ([atMinute]: readonly [number, number]) => atMinute * 60_000 > warmUpMs
  for (const [name, samples] of resident) {
    const looked = samples.filter(isLooked)
    const last = samples.at(-1)?.[1].toFixed(1)
    t.comment(`${name}: ${samples.map(([, mib]) => mib.toFixed(1)).join(' ')} MiB, at last ${last}`)
    const unit = 'MiB in 10 minutes'
    hold(`growth of ${name}`, { atMost: limits.growthMiB, unit }, 10 * slopeOf(looked))
  }
  for (const [name, samples] of files) {
    const before = samples.findLast((sample) => !isLooked(sample))?.[1] ?? Number.NaN
    const after = samples.at(-1)?.[1] ?? Number.NaN
    hold(`files and sockets more of ${name}`, { atMost: limits.files }, after - before)
  }
  hold('failed requests', { atMost: 0 }, wrongOf({ ...outcomes, refused: 0 }))
  const lines = Object.values(processes).flatMap(({ output }) => output)
  // An unhandled rejection ends the process; a leak of listeners is a warning of Node.js.
  const unhandled = lines.filter((line) => /"level":"fatal"|Warning:|UnhandledPromise/.test(line))
  for (const line of unhandled) t.comment(line)
  hold('unhandled rejections and warnings', { atMost: 0 }, unhandled.length)
  const restarted = Object.values(processes).filter(
    ({ pid }, i) => pid !== pids[i] || !isAlive(pid),
  )
  hold('processes that ended', { atMost: 0 }, restarted.length)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
