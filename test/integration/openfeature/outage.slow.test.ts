import type { VectorDocument } from '@svc/evaluation/testing'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { readFixture } from '../../support/fixtures.ts'
import { loadDocument } from '../../support/load-document.ts'
import { startStack } from '../../support/stack.ts'
import { kinds } from './kinds.ts'

// It takes the 40 seconds after which a service counts as silent.
t.test('a service that hangs makes providers STALE, and READY when it is back', async (t) => {
  const { urls, token, api } = await startStack(t)
  await loadDocument(api, readFixture<VectorDocument>('openfeature'))
  const proxy = await startFaultProxy(t, Number(new URL(urls[0]).port))
  const context = { targetingKey: 'alice', role: 'staff' }
  const applications = kinds.map((kind) => {
    const url = `http://${proxy.address}`
    const application = kind.open(t, { url, namespace: 'shop', credential: { token } })
    const events: string[] = []
    for (const name of ['Stale', 'Error', 'Ready'] as const) {
      application.on(name, () => events.push(name))
    }
    return { application, events }
  })
  for (const { application } of applications) {
    await application.start()
    t.match(await application.details('color', '', context), { reason: 'TARGETING_MATCH' })
  }

  proxy.set('freeze')
  for (const { application } of applications) {
    await waitFor(() => application.status() === 'STALE')
    t.match(await application.details('color', ''), {
      ...(application.domain.startsWith('web') && { value: 'blue' }),
      reason: 'STALE',
    })
  }
  // A busy machine may be too slow for one write.
  await waitFor(async () => {
    const off = { name: 'Off', enabled: true }
    return (await api('PUT', '/api/v1/namespaces/shop/flags/off', off)).status === 200
  })

  proxy.set('none')
  for (const { application, events } of applications) {
    await waitFor(() => application.status() === 'READY')
    await waitFor(async () => (await application.details('off', false)).value === true).catch(
      async (cause: unknown) => {
        const request = { namespaceKey: 'shop', flagKey: 'off', entityId: 'alice' }
        const { body } = await api('POST', '/evaluate/v1/boolean', request)
        const seen = { status: application.status(), events, gateway: body }
        throw new Error(`${application.domain} stays off: ${JSON.stringify(seen)}`, { cause })
      },
    )
    t.strictSame(events, ['Ready', 'Stale', 'Ready'], application.domain)
  }
})
