import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FlagdCore } from '@openfeature/flagd-core'
import t, { type Test } from 'tap'
import { InMemStorageProvider, Unleash } from 'unleash-client'
import { measurePeers, peers } from '../peers.ts'
import { isInSegment, toQuestion } from '../servers/flags.ts'
import * as flagd from './flagd.ts'
import { type Peer, startPeer } from './peer.ts'
import * as unleash from './unleash-edge.ts'

const flagKey = 'flag-7'
const questions = Array.from({ length: 300 }, (_, number) => toQuestion(flagKey, number))

/** What engines of the same product make of a peer's flags. */
function checkServed(t: Test, isOn: (question: (typeof questions)[number]) => boolean) {
  const others = questions.filter((question) => !isInSegment(question))
  t.ok(
    questions.every((question) => !isInSegment(question) || isOn(question)),
    'all in the segment',
  )
  const share = others.filter(isOn).length / others.length
  t.ok(share > 0.35 && share < 0.65, `half of the others: ${share}`)
}

t.test("flagd's own engine serves its flags to the same entities as ours", async (t) => {
  const core = new FlagdCore()
  core.setConfigurations(JSON.stringify(flagd.toConfiguration([flagKey])))
  checkServed(
    t,
    (question) =>
      core.resolveBooleanEvaluation(flagKey, false, flagd.toContext(question)).value === true,
  )
})

t.test("Unleash's own engine serves its flags to the same entities as ours", async (t) => {
  const { features, segments } = unleash.toFeatures([flagKey])
  const client = new Unleash({
    appName: 'bench',
    url: 'http://127.0.0.1:9/',
    disableAutoStart: true,
    disableMetrics: true,
    refreshInterval: 0,
    skipInstanceCountWarning: true,
    storageProvider: new InMemStorageProvider(),
    bootstrap: JSON.parse(JSON.stringify({ data: features, segments })),
  })
  client.on('error', () => {})
  t.teardown(() => client.destroy())
  const ready = new Promise((resolve) => client.once('ready', resolve))
  await client.start()
  await ready
  checkServed(t, (question) => client.isEnabled(flagKey, unleash.toContext(question)))
})

t.test('a peer whose program is not named is a row that says so, and starts nothing', async (t) => {
  for (const { variable } of peers) {
    const { [variable]: before } = process.env
    delete process.env[variable]
    t.teardown(() => {
      if (before !== undefined) process.env[variable] = before
    })
  }
  const rows = await measurePeers({ quick: true, say: () => {}, teardown: () => t.fail() })
  t.strictSame(
    rows.map(({ what }) => what),
    peers.map(({ variable }) => `not measured: ${variable} is not set to the path of a program`),
  )
})

/** A peer whose program is a script. It is asked nothing. */
function scripted(t: Test, code: string): { peer: Peer; program: string } {
  const program = join(t.testdir({}), 'server')
  writeFileSync(program, `#!${process.execPath}\n${code}\n`)
  chmodSync(program, 0o755)
  const peer: Peer = {
    name: 'flagd',
    variable: 'BENCH_FLAGD',
    prepare: ({ port }) => ({ args: [`${port}`] }),
    ask: () => ({ path: '/', body: {} }),
    check: () => {},
  }
  return { peer, program }
}

function runOf(t: Test) {
  return { quick: true, say: () => {}, teardown: (work: () => Promise<void>) => t.teardown(work) }
}

t.test('a program is started on a free port, and ended', async (t) => {
  const { peer, program } = scripted(
    t,
    "import { createServer } from 'node:http'\n" +
      "createServer((_, r) => r.end('{}')).listen(process.argv[2], '127.0.0.1')",
  )
  const ask = (port: number) =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => undefined,
      () => 'not yet',
    )
  const started = await startPeer(runOf(t), peer, program, [flagKey], ask)
  t.equal(await ask(started.port), undefined)
  await started.stop()
  t.equal(await ask(started.port), 'not yet')
})

t.test('a program that does not start is named, with what it wrote', async (t) => {
  const { peer, program } = scripted(t, "console.error('no such option'); process.exit(3)")
  const ask = async () => 'not yet'
  await t.rejects(startPeer(runOf(t), peer, program, [flagKey], ask), {
    code: 'failed_precondition',
    message: /flagd does not start: it ended with 3\. BENCH_FLAGD is .*server\.\nno such option/,
  })
  await t.rejects(startPeer(runOf(t), peer, `${program}-gone`, [flagKey], ask), {
    message: /flagd does not start: .*ENOENT/,
  })
})
