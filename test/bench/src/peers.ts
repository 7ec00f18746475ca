import { call } from '@svc/test/support/http'
import { rssBytesOf } from './growth/usage.ts'
import { loadFully, type MeteredThroughput, type Side, warmUp } from './load/metered.ts'
import { postBytes, type Question, requestBytes } from './load/question.ts'
import { alternate, type Compared, medianOf } from './load/statistics.ts'
import { flagd } from './peers/flagd.ts'
import { flipt } from './peers/flipt.ts'
import { type Peer, startPeer } from './peers/peer.ts'
import { unleashEdge } from './peers/unleash-edge.ts'
import type { Row, Run } from './row.ts'
import { checkAnswer, type FlagQuestion, toQuestion } from './servers/flags.ts'
import { startPinnedFleet } from './servers/start.ts'

/** In the order in which they are measured. */
export const peers: readonly Peer[] = [unleashEdge, flagd, flipt]

/** As many flags as an application has, and as many entities of each as make 3,000 questions. */
const flagKeys = Array.from({ length: 100 }, (_, number) => `flag-${number}`)
const entityCount = 30

const usual = { rounds: 10, durationMs: 1000 }
const quick = { rounds: 4, durationMs: 300 }

/** From here on it is the client that is measured, and the ratio is nearer to 1 than it should be. */
const busyClient = 0.9

/** Single evaluations beside other servers, each on the same core and with the same flags. */
export async function measurePeers(run: Run): Promise<readonly Row[]> {
  const programs = new Map(peers.map((peer) => [peer, process.env[peer.variable] ?? '']))
  if ([...programs.values()].every((program) => program === '')) return peers.map(unmeasured)
  const fleet = await startPinnedFleet(run, flagKeys)
  const ours: Side = { ...fleet, name: 'svc', questions: ask(ourQuestion(fleet.token)) }
  const rows: Row[] = []
  for (const [peer, program] of programs) {
    rows.push(program === '' ? unmeasured(peer) : await compare(run, ours, peer, program))
  }
  return rows
}

async function compare(run: Run, ours: Side, peer: Peer, program: string): Promise<Row> {
  const started = await startPeer(run, peer, program, flagKeys, (port) => askFirst(peer, port))
  const theirs: Side = { ...started, name: peer.name, questions: ask(questionOf(peer)) }
  const { rounds, durationMs } = run.quick ? quick : usual
  for (const side of [theirs, ours]) await warmUp(side)
  const compared = await alternate(
    rounds,
    () => loadFully(theirs, durationMs),
    () => loadFully(ours, durationMs),
    ({ perSecond }) => perSecond,
  )
  for (const [side, measured] of [
    [theirs, compared.a],
    [ours, compared.b],
  ] as const) {
    const perSecond = measured.map((each) => Math.round(each.perSecond)).join(' ')
    const share = Math.round(medianOf(measured, 'clientShare') * 100)
    run.say(`${side.name}: ${perSecond} requests/s, client ${share} % of its core`)
  }
  const row = toRow(peer, compared, [ours, theirs].map(memoryOf))
  await started.stop()
  return row
}

function toRow(peer: Peer, compared: Compared<MeteredThroughput>, memory: readonly string[]): Row {
  const { a: theirs, b: ours, ratio } = compared
  const pair = (of: 'perSecond' | 'cpuMicros', digits: number) =>
    [ours, theirs].map((side) => medianOf(side, of).toFixed(digits)).join('/')
  const isBusy = [ours, theirs].some((side) => medianOf(side, 'clientShare') > busyClient)
  return {
    id: `peers.${peer.name}`,
    ratio,
    what: `requests/s of a boolean evaluation among ${flagKeys.length} flags, over ${peer.name}`,
    detail:
      `${pair('perSecond', 0)} requests/s, ${memory.join('/')} MiB` +
      (isBusy ? '; THE CLIENT WAS AT ITS LIMIT' : ''),
    also: {
      cpu: {
        ratio: medianOf(theirs, 'cpuMicros') / medianOf(ours, 'cpuMicros'),
        what: 'the same by processor time for a request, which hardly depends on other load',
        detail: `${pair('cpuMicros', 1)} µs`,
      },
    },
  }
}

function unmeasured({ name, variable }: Peer): Row {
  const what = `not measured: ${variable} is not set to the path of a program`
  return { id: `peers.${name}`, ratio: Number.NaN, what, detail: '' }
}

/** A question for each flag and entity; one after the other they are about different flags. */
function ask(toBytes: (question: FlagQuestion) => Question): readonly Question[] {
  return Array.from({ length: entityCount }, (_, entity) =>
    flagKeys.map((flagKey) => toBytes(toQuestion(flagKey, entity))),
  ).flat()
}

function ourQuestion(token: string) {
  return (question: FlagQuestion): Question => ({
    bytes: postBytes('/evaluate/v1/boolean', token, question),
    check: (body) => checkAnswer(question, JSON.parse(body)),
  })
}

function questionOf(peer: Peer) {
  return (question: FlagQuestion): Question => {
    const { path, body, authorization } = peer.ask(question)
    return {
      bytes: requestBytes({ path, authorization, body }),
      check: (answer) => peer.check(question, JSON.parse(answer)),
    }
  }
}

/** @returns what is wrong with the answer of a peer, which may still be starting */
async function askFirst(peer: Peer, port: number): Promise<string | undefined> {
  const question = toQuestion(flagKeys.at(-1) ?? '', 0)
  const { path, body, authorization } = peer.ask(question)
  const headers = authorization === undefined ? {} : { authorization }
  try {
    const answer = await call(`http://127.0.0.1:${port}`, 'POST', path, body, headers)
    if (answer.status !== 200) return `it answers ${answer.status} ${answer.text.slice(0, 200)}`
    peer.check(question, answer.body)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function memoryOf({ pid }: Side): string {
  return (rssBytesOf(pid) / 2 ** 20).toFixed(0)
}
