import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WorkloadToken } from './workload.ts'

const lifeMs = 60_000

/** A token of a service account that ends at a time, in milliseconds since the start. */
const projected = (endsAtMs: number) => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'RS256' })}.${encode({ aud: ['flags'], exp: endsAtMs / 1000 })}.signature`
}

/** A file, and a service that exchanges what is in it for a token that ends with it, or after an hour. */
function start(t: Test, maxLifeMs = Number.POSITIVE_INFINITY) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  const world = {
    file: projected(lifeMs),
    exchanged: [] as string[],
    answers: true,
    /** Moves time on, second by second, and lets what is due run. */
    async pass(ms: number) {
      for (const end = nowMs + ms; nowMs < end; ) {
        nowMs += 1000
        mock.timers.tick(1000)
        for (let i = 0; i < 10; i++) await turn()
      }
    },
  }
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    if (!world.answers) throw new TypeError('fetch failed')
    const { serviceAccountToken } = JSON.parse(String(init?.body))
    world.exchanged.push(serviceAccountToken)
    const { exp } = JSON.parse(
      Buffer.from(serviceAccountToken.split('.')[1], 'base64url').toString(),
    )
    const expiresAt = new Date(Math.min(exp * 1000, nowMs + maxLifeMs)).toISOString()
    const createdAt = new Date(nowMs).toISOString()
    const clientToken = `svc_${world.exchanged.length}`
    return Response.json({ clientToken, authentication: { createdAt, expiresAt } })
  }
  const tokens = new WorkloadToken({
    url: 'http://flags.test',
    fetch,
    readText: async () => world.file,
  })
  t.teardown(() => {
    tokens.close()
    mock.timers.reset()
  })
  return { world, tokens }
}

t.test('a new token of the cluster is exchanged before the old one ends', async (t) => {
  const { world, tokens } = start(t)
  t.equal(await tokens.get(), 'svc_1')
  await world.pass(40_000)
  t.equal(world.exchanged.length, 1)
  world.file = projected(2 * lifeMs)
  await world.pass(15_000)
  t.equal(await tokens.get(), 'svc_2')
})

t.test('a token of the cluster that has been exchanged is not exchanged again', async (t) => {
  const { world, tokens } = start(t)
  await tokens.get()
  await world.pass(58_000)
  t.equal(world.exchanged.length, 1, 'it would bring no more time')
  world.file = projected(2 * lifeMs)
  await world.pass(2000)
  t.equal(await tokens.get(), 'svc_2', 'and the next one is taken once it is there')
  t.strictSame(world.exchanged, [projected(lifeMs), projected(2 * lifeMs)])
})

t.test('but one that outlives the client token is', async (t) => {
  const { world, tokens } = start(t, 30_000)
  await tokens.get()
  await world.pass(30_000)
  t.equal(await tokens.get(), 'svc_2')
  t.strictSame(world.exchanged, [projected(lifeMs), projected(lifeMs)])
})

t.test('and so is one that was refused', async (t) => {
  const { world, tokens } = start(t)
  await tokens.get()
  t.equal(await tokens.renew('svc_1'), true)
  t.equal(await tokens.get(), 'svc_2')
  t.equal(world.exchanged.length, 2)
})

t.test('a token of the last moment is not exchanged again and again', async (t) => {
  const { world, tokens } = start(t)
  world.file = projected(1000)
  await tokens.get()
  await world.pass(10_000)
  t.equal(world.exchanged.length, 1)
})

t.test('what cannot be renewed stays in use, and is renewed when it can be', async (t) => {
  const { world, tokens } = start(t)
  await tokens.get()
  world.answers = false
  world.file = projected(4 * lifeMs)
  await world.pass(59_000)
  t.equal(await tokens.get(), 'svc_1')
  world.answers = true
  await world.pass(30_000)
  t.equal(await tokens.get(), 'svc_2')
})

t.test('those who ask at once share one exchange', async (t) => {
  const { world, tokens } = start(t)
  t.strictSame(await Promise.all([tokens.get(), tokens.get(), tokens.get()]), [
    'svc_1',
    'svc_1',
    'svc_1',
  ])
  t.equal(world.exchanged.length, 1)
})

t.test('a token for another audience is not sent, and it says what to do', async (t) => {
  let text = projected(lifeMs)
  let exchanges = 0
  const source = new WorkloadToken({
    ...{ url: 'http://flags.test', file: '/run/account', audience: 'svc' },
    fetch: async () => {
      exchanges++
      return Response.json({})
    },
    readText: async () => text,
  })
  t.teardown(() => source.close())
  const message =
    'the token in /run/account is made for flags, not for svc: set the audience of the projected volume'
  await t.rejects(source.get(), { name: 'SvcError', code: 16, message })
  t.equal(exchanges, 0)
  t.equal(await source.hasChanged(), false, 'to try again is of no use before there is another')
  text = `${text}2`
  t.equal(await source.hasChanged(), true)
})

t.test('a client token of months is not exchanged at once again', async (t) => {
  let exchanges = 0
  const source = new WorkloadToken({
    url: 'http://flags.test',
    fetch: async () => {
      exchanges++
      const authentication = {
        createdAt: '2026-01-01T00:00:00Z',
        expiresAt: '2026-03-02T00:00:00Z',
      }
      return Response.json({ clientToken: `svc_${exchanges}`, authentication })
    },
    readText: async () => 'account',
  })
  t.teardown(() => source.close())
  await source.get()
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(exchanges, 1, 'timers take no more than 24 days')
})
