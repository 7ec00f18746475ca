import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'

/** Longer than a message may wait to be taken, so that the service gives the gateway up. */
const stoppedMs = 13_000

/** Together far more than fits between two processes. */
const changes = 20
const attachment = (n: number) => JSON.stringify({ n, filling: 'x'.repeat(500_000) })

t.test('a gateway that stops reading is dropped, and goes on where it stopped', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t)
  const { api, urls, gateways, token } = await startFleet(t, { databaseUrl, gateways: 2 })
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

  await stopped.kill('SIGSTOP')
  const stoppedAt = performance.now()
  for (let n = 1; n <= changes; n += 1) {
    const sent = { key: 'v', attachment: attachment(n) }
    const { status } = await api('PUT', `${base}/f/variants/${id}`, sent)
    t.equal(status, 200)
  }
  t.equal(await shown(urls[0]), changes, 'the others are told meanwhile')
  await sleep(stoppedMs - (performance.now() - stoppedAt))
  await stopped.kill('SIGCONT')
  const continuedAt = performance.now()
  while ((await shown(stoppedUrl)) !== changes && performance.now() - continuedAt < 10_000) {
    await sleep(10)
  }
  t.comment(`${Math.round(performance.now() - continuedAt)} ms until it showed the last change`)
  t.equal(await shown(stoppedUrl), changes)
  const reasons = stopped.lines.map(({ reason }) => String(reason))
  t.ok(
    reasons.some((reason) => reason.includes('reads too slowly')),
    `it was told why: ${reasons.filter((reason) => reason !== 'undefined').join('; ')}`,
  )
})
