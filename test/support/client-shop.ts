import type { Logger } from '@svc/client'
import type { Request } from './http.ts'

/** A subject of the segment `germany`. */
export const german = { entityId: 'user-42', context: { country: 'DE' } }

/** A log that is read by the test. */
export function quiet() {
  const lines: string[] = []
  const logger: Logger = { warn: (message) => void lines.push(message) }
  return { logger, lines }
}

/**
 * Makes the namespace `shop`: the boolean flag `checkout`, on in Germany, and the variant flag `color`, which
 * is blue there and has no default.
 */
export async function createShop(api: Request) {
  const base = '/api/v1/namespaces/shop'
  /** @returns the revision, as clients wait for it */
  const write = async (method: string, path: string, body?: object) => {
    const answer = await api(method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`)
    return String(answer.headers.get('x-svc-revision'))
  }
  const create = async (path: string, body: object) => {
    const { body: created, status, text } = await api('POST', path, body)
    if (status !== 200) throw new Error(`POST ${path}: ${text}`)
    return created as { id: string }
  }
  await write('POST', '/api/v1/namespaces', { key: 'shop', name: 'Shop' })
  await write('POST', `${base}/segments`, { key: 'germany', name: 'Germany' })
  const constraint = { property: 'country', operator: 'eq', value: 'DE' }
  const type = 'STRING_COMPARISON_TYPE'
  await write('POST', `${base}/segments/germany/constraints`, { ...constraint, type })

  const checkout = { key: 'checkout', name: 'Checkout', type: 'BOOLEAN_FLAG_TYPE' }
  await write('POST', `${base}/flags`, { ...checkout, enabled: false })
  const segment = { segmentKey: 'germany', value: true }
  await write('POST', `${base}/flags/checkout/rollouts`, { rank: 1, segment })

  const color = { key: 'color', name: 'Color', type: 'VARIANT_FLAG_TYPE' }
  await write('POST', `${base}/flags`, { ...color, enabled: true })
  const blue = { key: 'blue', name: 'Blue', attachment: '{"hex":"#00f"}' }
  const { id: variantId } = await create(`${base}/flags/color/variants`, blue)
  const rule = { rank: 1, segmentKey: 'germany' }
  const { id: ruleId } = await create(`${base}/flags/color/rules`, rule)
  const distributions = `${base}/flags/color/rules/${ruleId}/distributions`
  const revision = await write('POST', distributions, { variantId, rollout: 100 })
  return { write, base, revision }
}
