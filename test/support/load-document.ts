import {
  attachmentText,
  type DocumentFlag,
  type DocumentRollout,
  type DocumentRule,
  type DocumentSegment,
  type VectorDocument,
} from '@svc/evaluation/testing'
import type { Request } from './http.ts'

/** Sends a request and gives its answer's body; anything but 200 is the end of the test. */
type Send = (method: string, path: string, body: object) => Promise<{ readonly id: string }>

/** Creates everything in a document through the API, as a client would, one request at a time. */
export async function loadDocument(api: Request, document: VectorDocument): Promise<void> {
  const { key, name } = document.namespace
  const base = `/api/v1/namespaces/${key}`
  const send: Send = async (method, path, body) => {
    const answer = await api(method, path.startsWith('/api') ? path : base + path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body as { id: string }
  }
  if (key !== 'default') await send('POST', '/api/v1/namespaces', { key, name })
  for (const segment of document.segments) await loadSegment(send, segment)
  for (const flag of document.flags) await loadFlag(send, flag)
}

async function loadSegment(send: Send, { key, name, match_type, constraints }: DocumentSegment) {
  await send('POST', '/segments', { key, name, matchType: match_type })
  for (const constraint of constraints ?? []) {
    await send('POST', `/segments/${key}/constraints`, constraint)
  }
}

async function loadFlag(send: Send, flag: DocumentFlag) {
  const { key, name, type, enabled } = flag
  await send('POST', '/flags', { key, name, type, enabled })
  const variantIds = new Map<string, string>()
  for (const variant of flag.variants ?? []) {
    const { id } = await send('POST', `/flags/${key}/variants`, {
      key: variant.key,
      name: variant.name,
      attachment: attachmentText(variant),
    })
    variantIds.set(variant.key, id)
    if (variant.default === true) {
      await send('PUT', `/flags/${key}`, { name, enabled, defaultVariantId: id })
    }
  }
  for (const [i, rule] of (flag.rules ?? []).entries()) {
    await loadRule(send, key, i + 1, rule, variantIds)
  }
  for (const [i, rollout] of (flag.rollouts ?? []).entries()) {
    await send('POST', `/flags/${key}/rollouts`, { rank: i + 1, ...toRollout(rollout) })
  }
}

async function loadRule(
  send: Send,
  flagKey: string,
  rank: number,
  { segment, distributions }: DocumentRule,
  variantIds: ReadonlyMap<string, string>,
) {
  const segments =
    typeof segment === 'string'
      ? { segmentKey: segment }
      : { segmentKeys: segment.keys, segmentOperator: segment.operator }
  const rule = await send('POST', `/flags/${flagKey}/rules`, { rank, ...segments })
  for (const { variant, rollout } of distributions) {
    const variantId = variantIds.get(variant)
    const path = `/flags/${flagKey}/rules/${rule.id}/distributions`
    await send('POST', path, { variantId, rollout })
  }
}

function toRollout({ segment, threshold }: DocumentRollout): object {
  if (segment === undefined) return { threshold }
  const { value } = segment
  return 'keys' in segment
    ? { segment: { value, segmentKeys: segment.keys, segmentOperator: segment.operator } }
    : { segment: { value, segmentKey: segment.key } }
}
