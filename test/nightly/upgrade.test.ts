import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTestDatabase } from '@svc/database/testing'
import t, { type Test } from 'tap'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import { type Fleet, startFleet } from '../support/fleet.ts'
import { percentiles } from '../support/load.ts'
import { learnAnswers, type Question, startMixedTraffic } from '../support/mixed-traffic.ts'
import { type Build, lastReleaseIsMissing, openLastRelease } from '../support/releases.ts'
import type { Service, ServiceProcess } from '../support/service-process.ts'
import { untilReady } from '../support/stack.ts'
import { svcFor } from '../support/svc.ts'

/** Requests; fewer on a machine that has other work. */
const perSecond = Number(process.env.PER_SECOND ?? 100)

/** How long each mixture has to stand, in milliseconds. */
const mixtureMs = Number(process.env.MIXTURE_SECONDS ?? 20) * 1000

/** How often all tiers are replaced by the other release. */
const turns = Number(process.env.UPGRADES ?? 6)

/** As it is by default. */
const drain = '5s'

const content = fileURLToPath(new URL('../../fixtures/v1-export.yml', import.meta.url))

const services = ['gateway', 'auth', 'resource'] as const

/** This file is test/dist/nightly/upgrade.test.js. */
const present: Build = {
  name: 'this build',
  directory: fileURLToPath(new URL('../../../', import.meta.url)),
}

/** The eight ways to choose one of two builds for each of three services, this build for all of them first. */
function mixturesOf(past: Build): Record<Service, Build>[] {
  return Array.from({ length: 8 }, (_, number) => {
    const choose = (bit: number) => ((number >> bit) & 1 ? past : present)
    return { gateway: choose(0), auth: choose(1), resource: choose(2) }
  })
}

const skip = lastReleaseIsMissing()

t.test('this build and the release before', { skip, timeout: 1_800_000 }, async (t) => {
  const past = await openLastRelease()

  await t.test('work in every mixture, on a database that this build has migrated', async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t)
    let questions: readonly Question[] | undefined
    let exported: string | undefined
    let token: string | undefined
    for (const builds of mixturesOf(past)) {
      const names = services.map((service) => `${service} of ${builds[service].name}`)
      await t.test(names.join(', '), async (t) => {
        const fleet = await startFleet(t, { databaseUrl, builds, ...(token && { token }) })
        token = fleet.token
        exported ??= await fill(t, fleet)
        questions ??= await learnAnswers(fleet.api)
        t.equal(await exportAll(t, fleet), exported, 'what the mixture before has left')
        exported = await runTraffic(t, fleet, questions, () => sleep(mixtureMs))
        for (const service of [...fleet.gateways, ...fleet.auths, ...fleet.resources]) {
          await service.kill('SIGTERM')
        }
      })
    }
  })

  await t.test(`are replaced by each other, ${turns} times in all tiers at once`, async (t) => {
    const builds = { gateway: past, auth: past, resource: past }
    const counts = { auths: 2, resources: 2, gateways: 2 }
    const fleet = await startFleet(t, { ...counts, builds, env: { SVC_SERVER_DRAIN: drain } })
    await fill(t, fleet)
    const questions = await learnAnswers(fleet.api)
    await runTraffic(t, fleet, questions, async (balancer) => {
      for (let turn = 0; turn < turns; turn += 1) {
        const next = turn % 2 === 0 ? present : past
        for (const i of [0, 1]) {
          const replicas = [fleet.gateways[i], fleet.auths[i], fleet.resources[i]]
          await Promise.all(replicas.map((replica) => replace(replica, next, balancer)))
          await sleep(1500)
        }
      }
    })
  })
})

/** @param balancer which has the process if it is a gateway; it goes on sending for a while, as they do */
async function replace(process: ServiceProcess | undefined, next: Build, balancer: Balancer) {
  if (process === undefined) throw new Error('no such replica')
  const { port } = process
  const isBalanced = balancer.has(port)
  const ended = process.kill('SIGTERM')
  if (isBalanced) {
    await sleep(3000)
    balancer.leave(port)
  }
  await ended
  await process.restart(next)
  if (!isBalanced) return
  await untilReady(`http://127.0.0.1:${port}`)
  balancer.enter(port)
}

/** Imports namespaces of every kind of content. @returns what is exported then */
async function fill(t: Test, fleet: Fleet): Promise<string> {
  const svc = svcFor({ url: fleet.urls[0], token: fleet.token })
  const { code, stderr } = await svc(['import', content])
  t.equal(code, 0, stderr)
  return exportAll(t, fleet)
}

/** Runs requests and writes meanwhile. @returns what is exported afterwards, the same but for the writes */
async function runTraffic(
  t: Test,
  fleet: Fleet,
  questions: readonly Question[],
  work: (balancer: Balancer) => Promise<unknown>,
): Promise<string> {
  const { api, token, gateways } = fleet
  const before = await exportAll(t, fleet)
  const ports = gateways.map(({ port }) => port)
  const balancer = await startBalancer(t, ports)
  const options = { port: balancer.port, token, perSecond, questions }
  const { traffic, findLost } = await startMixedTraffic(t, api, options)
  await work(balancer)
  const { outcomes, tookMs } = await traffic.stop()
  t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
  t.strictSame(Object.keys(outcomes), ['right'])
  t.strictSame(await findLost(api), [])
  const after = await exportAll(t, fleet)
  t.equal(withoutWritten(after), withoutWritten(before), 'the same but for the writes')
  const svc = svcFor({ url: fleet.urls[0], token })
  t.match(await svc(['changes', 'verify']), { code: 0 }, 'the log of changes is intact')
  return after
}

/** All namespaces, as the command line writes them. */
async function exportAll(t: Test, { urls, token }: Fleet): Promise<string> {
  const svc = svcFor({ url: urls[0], token })
  const { code, stdout, stderr } = await svc(['export', '--all-namespaces'])
  t.equal(code, 0, stderr)
  // But the line with version and time.
  return stdout.replace(/^# exported by .*\n/, '')
}

/** @param exported as YAML: a flag is an item of a list */
function withoutWritten(exported: string): string {
  return exported.replace(/^- key: written-.*\n(?: {2}.*\n)*/gm, '')
}
