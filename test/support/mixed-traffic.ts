import { createFlag } from './api.ts'
import type { Request } from './http.ts'
import type { Test } from './listen.ts'
import { right, type Send, startTraffic, type Traffic, type Unit } from './traffic.ts'

/** What many applications and some people do: evaluations, reads, writes that are read again, and tokens. */
export interface MixedTraffic {
  readonly traffic: Traffic
  /** @returns flags whose description is none that a write may have left */
  findLost(api: Request): Promise<string[]>
}

/** An evaluation and the answer to it, which does not change. */
export interface Question {
  readonly path: string
  readonly body: object
  readonly answer: string
}

export interface MixedTrafficOptions {
  readonly port: number
  readonly token: string
  readonly perSecond: number
  readonly questions: readonly Question[]
}

/** Flags that are written, one write at a time each: then it is known what they have to be. */
const writtenFlags = 40

/** Of so many units of work one is a write with a read of it, one a token's life; the others evaluate or read. */
const unitsInTurn = 12

const flagsPath = '/api/v1/namespaces/default/flags'

/** Evaluates every flag of the namespace `default` for some entities. @returns what was asked, with the answers */
export async function learnAnswers(api: Request): Promise<Question[]> {
  const { body } = await api('GET', flagsPath)
  const { flags } = body as { flags: readonly { key: string; type: string }[] }
  const questions = flags.flatMap(({ key: flagKey, type }) =>
    entities.map((entityId) => ({
      path: type === 'BOOLEAN_FLAG_TYPE' ? '/evaluate/v1/boolean' : '/evaluate/v1/variant',
      body: { flagKey, entityId, context: { email: `${entityId}@example.com`, plan: 'pro' } },
    })),
  )
  const requests = questions.map(({ body }) => body)
  const all = [...questions, { path: '/evaluate/v1/batch', body: { requests } }]
  const learnt: Question[] = []
  for (const { path, body } of all) {
    const { status, text } = await api('POST', path, body)
    if (status !== 200) throw new Error(`${path} ${JSON.stringify(body)}: ${status} ${text}`)
    learnt.push({ path, body, answer: withoutTimes(text) })
  }
  return learnt
}

const entities = ['user-1', 'user-2', 'user-3', 'user-4', 'user-5', 'user-6']

/** Starts it through the port of a balancer, after it has made the flags that it writes. */
export async function startMixedTraffic(
  t: Test,
  api: Request,
  { questions, ...options }: MixedTrafficOptions,
): Promise<MixedTraffic> {
  const flags = await makeFlags(api)
  const idle = [...flags]
  let asked = 0
  // Others than those of a traffic before this one.
  let written = Date.now()

  const evaluate: Unit = async (send) => {
    const question = questions[asked++ % questions.length]
    if (question === undefined) throw new Error('no questions')
    const { status, text } = await send('POST', question.path, question.body)
    if (status !== 200) return `${question.path}: ${status} ${text}`
    const isRight = withoutTimes(text) === question.answer
    return isRight ? right : `wrong: ${question.path} ${JSON.stringify(question.body)} ${text}`
  }
  const read: Unit = async (send) => {
    const { status, text } = await send('GET', `${flagsPath}/written-0`)
    return status === 200 ? right : `read: ${status} ${text}`
  }
  const write: Unit = async (send) => {
    const flag = idle.shift()
    if (flag === undefined) return evaluate(send)
    try {
      return await writeAndRead(send, flag, String(written++))
    } finally {
      idle.push(flag)
    }
  }
  const others = Array.from({ length: unitsInTurn - 3 }, () => evaluate)
  const units = [write, useToken, read, ...others]
  const traffic = startTraffic(t, { ...options, units })
  const findLost = async (api: Request) => {
    const lost: string[] = []
    for (const { key, possible } of flags) {
      const { body } = await api('GET', `${flagsPath}/${key}`)
      const { description } = body as { description: string }
      if (!possible.includes(description)) lost.push(`${key}: ${description}, not ${possible}`)
    }
    return lost
  }
  return { traffic, findLost }
}

interface WrittenFlag {
  readonly key: string
  readonly content: object
  /** The description that was acknowledged last, and those of later writes that failed. */
  possible: readonly string[]
}

async function makeFlags(api: Request): Promise<WrittenFlag[]> {
  const keys = Array.from({ length: writtenFlags }, (_, i) => `written-${i}`)
  const flags: WrittenFlag[] = []
  for (const key of keys) {
    const { status, body } = await api('GET', `${flagsPath}/${key}`)
    const there = status === 200 ? (body as { description: string }) : undefined
    const content = there ?? (await createFlag(api, key))
    flags.push({ key, content, possible: [there?.description ?? ''] })
  }
  return flags
}

async function writeAndRead(send: Send, flag: WrittenFlag, description: string): Promise<string> {
  const path = `${flagsPath}/${flag.key}`
  const before = flag.possible
  flag.possible = [...before, description]
  const written = await send('PUT', path, { ...flag.content, description })
  if (written.status !== 200) return `write: ${written.status} ${written.text}`
  flag.possible = [description]
  const read = await send('GET', path)
  if (read.status !== 200) return `read after write: ${read.status} ${read.text}`
  const isRight = JSON.parse(read.text).description === description
  return isRight ? right : `wrong: ${read.text} after a write of ${description}`
}

/** A token is made, is good at once, and is deleted. */
async function useToken(send: Send): Promise<string> {
  const made = await send('POST', '/auth/v1/method/token', { name: 'short' })
  if (made.status !== 200) return `token: ${made.status} ${made.text}`
  const { clientToken, authentication } = JSON.parse(made.text)
  const used = await send('GET', '/auth/v1/self', undefined, clientToken)
  if (used.status !== 200) return `self: ${used.status} ${used.text}`
  const deleted = await send('DELETE', `/auth/v1/tokens/${authentication.id}`)
  return deleted.status === 200 ? right : `delete: ${deleted.status} ${deleted.text}`
}

/** Leaves out of an answer what differs each time. */
function withoutTimes(text: string): string {
  return text.replace(/"(?:requestId|requestDurationMillis|timestamp)":(?:"[^"]*"|[\d.]+),?/g, '')
}
