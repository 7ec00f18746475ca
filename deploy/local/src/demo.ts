import demo from './demo.json' with { type: 'json' }
import { startError } from './start.errors.ts'

type Flag = (typeof demoNamespaces)[number]['flags'][number]

/** A few things to look at, each of which shows one idea. The first variant of a flag is its default. */
export const demoNamespaces = demo.namespaces

/** What there is after loading, for the terminal. */
export const demoContents = [
  `${demoNamespaces.length} namespaces`,
  `${demoNamespaces.flatMap(({ flags }) => flags).length} flags`,
  `${demoNamespaces.flatMap(({ segments }) => segments).length} segments`,
].join(', ')

/** Sends a request, and returns the id in the answer; nothing, when there is such a record already. */
type Send = (method: 'POST' | 'PUT', path: string, body: object) => Promise<string | undefined>

/**
 * Loads the demo data through the HTTP API. What exists already, by its key, stays as it is, with
 * everything in it.
 *
 * @param url the gateway's, without a path
 * @throws {AppError} `failed_precondition` with the gateway's answer
 */
export async function loadDemo(url: string, token: string | undefined): Promise<void> {
  const send: Send = async (method, path, body) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(url + path, {
      method,
      headers: { ...authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // Each call takes milliseconds; the first ones wait for connections to be made.
      signal: AbortSignal.timeout(5000),
    })
    const text = await response.text()
    if (response.status === 409) return undefined
    if (response.ok) return String(JSON.parse(text).id)
    throw startError(`${path} answered ${response.status}: ${text}`)
  }
  for (const { flags, segments, ...namespace } of demoNamespaces) {
    await send('POST', '/api/v1/namespaces', namespace)
    const base = `/api/v1/namespaces/${namespace.key}`
    for (const { constraints, ...segment } of segments) {
      if ((await send('POST', `${base}/segments`, segment)) === undefined) continue
      for (const constraint of constraints) {
        await send('POST', `${base}/segments/${segment.key}/constraints`, constraint)
      }
    }
    for (const flag of flags) await loadFlag(send, base, flag)
  }
}

async function loadFlag(send: Send, base: string, flag: Flag): Promise<void> {
  const { variants = [], rollouts = [], rules = [], ...own } = flag
  if ((await send('POST', `${base}/flags`, own)) === undefined) return
  const path = `${base}/flags/${flag.key}`
  const idOf = new Map<string, string | undefined>()
  for (const { key, attachment } of variants) {
    const variant = { key, name: key, attachment: JSON.stringify(attachment) }
    idOf.set(key, await send('POST', `${path}/variants`, variant))
  }
  const [defaultVariantId] = idOf.values()
  if (defaultVariantId !== undefined) await send('PUT', path, { ...own, defaultVariantId })
  for (const [i, rollout] of rollouts.entries()) {
    await send('POST', `${path}/rollouts`, { ...rollout, rank: i + 1 })
  }
  for (const [i, { segmentKey, distributions }] of rules.entries()) {
    const ruleId = await send('POST', `${path}/rules`, { segmentKey, rank: i + 1 })
    for (const { variant, percentage } of distributions) {
      const distribution = { variantId: idOf.get(variant), rollout: percentage }
      await send('POST', `${path}/rules/${ruleId}/distributions`, distribution)
    }
  }
}
