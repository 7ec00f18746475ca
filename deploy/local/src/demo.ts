import { AppError } from '@svc/runtime'
import { type DemoFlag, type DemoSegment, demoNamespaces } from './demo.data.ts'

/** What there is after loading, for a person. */
export const demoContents = [
  `${demoNamespaces.length} namespaces`,
  `${demoNamespaces.flatMap(({ flags }) => flags).length} flags`,
  `${demoNamespaces.flatMap(({ segments }) => segments).length} segments`,
].join(', ')

/**
 * Loads the demo data through the HTTP API. What is there already, by its key, is left alone with
 * everything in it.
 *
 * @param url the gateway's, without a path
 * @throws {AppError} `failed_precondition` with the gateway's answer
 */
export async function loadDemo(url: string, token: string | undefined): Promise<void> {
  const api = new Api(url, token)
  for (const { flags, segments, ...namespace } of demoNamespaces) {
    await api.make('/api/v1/namespaces', namespace)
    const base = `/api/v1/namespaces/${namespace.key}`
    for (const segment of segments) await loadSegment(api, base, segment)
    for (const flag of flags) await loadFlag(api, base, flag)
  }
}

async function loadSegment(api: Api, base: string, { constraints, ...segment }: DemoSegment) {
  if (!(await api.make(`${base}/segments`, segment))) return
  for (const constraint of constraints) {
    await api.post(`${base}/segments/${segment.key}/constraints`, constraint)
  }
}

async function loadFlag(api: Api, base: string, flag: DemoFlag) {
  const { variants = [], rollouts = [], rules = [], ...own } = flag
  if (!(await api.make(`${base}/flags`, own))) return
  const path = `${base}/flags/${flag.key}`
  const idOf = new Map<string, string>()
  for (const { key, attachment } of variants) {
    const sent = { key, name: key, attachment: JSON.stringify(attachment) }
    idOf.set(key, await api.post(`${path}/variants`, sent))
  }
  const defaultVariantId = idOf.values().next().value
  if (defaultVariantId !== undefined) await api.put(path, { ...own, defaultVariantId })
  for (const [i, rollout] of rollouts.entries()) {
    await api.post(`${path}/rollouts`, { ...rollout, rank: i + 1 })
  }
  for (const [i, { segmentKey, distributions }] of rules.entries()) {
    const ruleId = await api.post(`${path}/rules`, { segmentKey, rank: i + 1 })
    for (const [key, rollout] of Object.entries(distributions)) {
      const distribution = { variantId: idOf.get(key), rollout }
      await api.post(`${path}/rules/${ruleId}/distributions`, distribution)
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

  /** @returns whether it was made by this call, and did not exist */
  async make(path: string, record: { readonly key: string }): Promise<boolean> {
    const found = await this.#send('GET', `${path}/${record.key}`)
    if (!found.ok && found.status !== 404) throw await refusal(found)
    await found.body?.cancel()
    if (found.ok) return false
    await this.post(path, record)
    return true
  }

  /** @returns the id of what was made, where it has one */
  async post(path: string, body: object): Promise<string> {
    const response = await this.#send('POST', path, body)
    if (!response.ok) throw await refusal(response)
    const record: unknown = await response.json()
    const hasId = typeof record === 'object' && record !== null && 'id' in record
    return hasId ? String(record.id) : ''
  }

  async put(path: string, body: object): Promise<void> {
    const response = await this.#send('PUT', path, body)
    if (!response.ok) throw await refusal(response)
  }

  #send(method: string, path: string, body?: object): Promise<Response> {
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
