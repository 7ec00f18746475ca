import { AppError } from '@svc/runtime'
import demo from './demo.json' with { type: 'json' }

interface DemoFlag {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly type: string
  readonly enabled: boolean
  /** The first is what is served when no rule says otherwise. */
  readonly variants?: readonly { readonly key: string; readonly attachment: object }[]
  readonly rollouts?: readonly object[]
  readonly rules?: readonly {
    readonly segmentKey: string
    readonly distributions: readonly { readonly variant: string; readonly percentage: number }[]
  }[]
}

interface DemoSegment {
  readonly key: string
  readonly constraints: readonly object[]
}

interface DemoNamespace {
  readonly key: string
  readonly segments: readonly DemoSegment[]
  readonly flags: readonly DemoFlag[]
}

/** A few things to look at, each of which shows one idea. */
export const demoNamespaces: readonly DemoNamespace[] = demo.namespaces

/** What there is after loading, for the terminal. */
export const demoContents = [
  `${demoNamespaces.length} namespaces`,
  `${demoNamespaces.flatMap(({ flags }) => flags).length} flags`,
  `${demoNamespaces.flatMap(({ segments }) => segments).length} segments`,
].join(', ')

/**
 * Loads the demo data through the HTTP API. What exists already, by its key, stays as it is, with
 * everything in it.
 *
 * @param url the gateway's, without a path
 * @throws {AppError} `failed_precondition` with the gateway's answer
 */
export async function loadDemo(url: string, token: string | undefined): Promise<void> {
  const api = new Api(url, token)
  for (const { flags, segments, ...namespace } of demoNamespaces) {
    await api.create('/api/v1/namespaces', namespace)
    const base = `/api/v1/namespaces/${namespace.key}`
    for (const { constraints, ...segment } of segments) {
      if (!(await api.create(`${base}/segments`, segment))) continue
      for (const constraint of constraints) {
        await api.send('POST', `${base}/segments/${segment.key}/constraints`, constraint)
      }
    }
    for (const flag of flags) await loadFlag(api, base, flag)
  }
}

async function loadFlag(api: Api, base: string, flag: DemoFlag): Promise<void> {
  const { variants = [], rollouts = [], rules = [], ...own } = flag
  if (!(await api.create(`${base}/flags`, own))) return
  const path = `${base}/flags/${flag.key}`
  const idOf = new Map<string, string>()
  for (const { key, attachment } of variants) {
    const sent = { key, name: key, attachment: JSON.stringify(attachment) }
    idOf.set(key, await api.send('POST', `${path}/variants`, sent))
  }
  const defaultVariantId = idOf.values().next().value
  if (defaultVariantId !== undefined) await api.send('PUT', path, { ...own, defaultVariantId })
  for (const [i, rollout] of rollouts.entries()) {
    await api.send('POST', `${path}/rollouts`, { ...rollout, rank: i + 1 })
  }
  for (const [i, { segmentKey, distributions }] of rules.entries()) {
    const ruleId = await api.send('POST', `${path}/rules`, { segmentKey, rank: i + 1 })
    for (const { variant, percentage } of distributions) {
      const distribution = { variantId: idOf.get(variant), rollout: percentage }
      await api.send('POST', `${path}/rules/${ruleId}/distributions`, distribution)
    }
  }
}

/** Each call takes milliseconds; the first ones wait for connections to be made. */
const timeoutMs = 5000

class Api {
  readonly #url: string
  readonly #headers: Record<string, string>

  constructor(url: string, token: string | undefined) {
    this.#url = url
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /** @returns whether this call created it */
  async create(path: string, record: { readonly key: string }): Promise<boolean> {
    const found = await this.#fetch('GET', `${path}/${record.key}`)
    if (!found.ok && found.status !== 404) throw await refusal(found)
    await found.body?.cancel()
    if (found.ok) return false
    await this.send('POST', path, record)
    return true
  }

  /** @returns the id of what was created, where it has one */
  async send(method: 'POST' | 'PUT', path: string, body: object): Promise<string> {
    const response = await this.#fetch(method, path, body)
    if (!response.ok) throw await refusal(response)
    const record: unknown = await response.json()
    const hasId = typeof record === 'object' && record !== null && 'id' in record
    return hasId ? String(record.id) : ''
  }

  #fetch(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${this.#url}${path}`, {
      method,
      headers: { ...this.#headers, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
}

async function refusal(response: Response): Promise<AppError> {
  const sentence = `${new URL(response.url).pathname} answered ${response.status}: ${await response.text()}`
  return new AppError('failed_precondition', 'demo_not_loaded', sentence)
}
