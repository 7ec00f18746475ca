import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'

/**
 * Longer than a message may wait to be taken, so that the service gives the gateway up: 10 s from the
 * first that does not fit. Shorter than the 15 s of silence after which the gateway gives up by itself.
 */
const stoppedMs = 13_000

/** A slow machine may miss the time between the two, but not again and again. */
const attempts = 3

/** Together far more than fits between two processes. */
const changes = 20
const attachment = (n: number) => JSON.stringify({ n, filling: 'x'.repeat(500_000) })

t.test('a gateway that stops reading is dropped, and resumes where it stopped', async (t) => {
  const { api, urls, gateways, token } = await startFleet(t, { gateways: 2 })
  const [, stopped] = gateways
  const [, stoppedUrl] = urls
  if (stopped === undefined || stoppedUrl === undefined) throw new Error('no second gateway')
  const base = '/api/v1/namespaces/default/flags'
  const flag = { key: 'f', name: 'F', type: 'VARIANT_FLAG_TYPE', enabled: true }
  await api('POST', base, flag)
  const made = await api('POST', `${base}/f/variants`, { key: 'v', attachment: attachment(0) })
  const { id } = made.body as { readonly id: string }
  await api('PUT', `${base}/f`, { ...flag, defaultVariantId: id })
  const shown = async (url: string): Promise<number | undefined> => {
    const question = { namespaceKey: 'default', flagKey: 'f', entityId: 'e', context: {} }
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await call(url, 'POST', '/evaluate/v1/variant', question, headers)
    const { variantAttachment } = body as { readonly variantAttachment?: string }
    return variantAttachment === undefined ? undefined : JSON.parse(variantAttachment).n
  }

  const reasons = () => stopped.lines.flatMap(({ reason }) => (reason ? [String(reason)] : []))
  const gotReason = () => reasons().some((reason) => reason.includes('reads too slowly'))
  let n = 0
  for (let attempt = 0; attempt < attempts && !gotReason(); attempt += 1) {
    await stopped.kill('SIGSTOP')
    const stoppedAt = performance.now()
    for (const last = n + changes; n < last; ) {
      n += 1
      const sent = { key: 'v', attachment: attachment(n) }
      const { status } = await api('PUT', `${base}/f/variants/${id}`, sent)
      t.equal(status, 200)
    }
    t.equal(await shown(urls[0]), n, 'the others are notified meanwhile')
    await sleep(stoppedMs - (performance.now() - stoppedAt))
    await stopped.kill('SIGCONT')
    const continuedAt = performance.now()
    while ((await shown(stoppedUrl)) !== n && performance.now() - continuedAt < 10_000) {
      await sleep(10)
    }
    t.comment(`${Math.round(performance.now() - continuedAt)} ms until it showed the last change`)
    t.equal(await shown(stoppedUrl), n)
  }
  t.ok(gotReason(), `it got the reason: ${reasons().join('; ')}`)
})
