import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startSilentPostgres } from '../support/silent-postgres.ts'
import { startStack } from '../support/stack.ts'

/** The service looks for itself every second; the rest is for a machine that does much else. */
const limitMs = 2000

t.test('a change of which no notification gets through is seen all the same', async (t) => {
  const database = await createTestDatabase(t)
  const postgres = await startSilentPostgres(t, database.url)
  const env = { SVC_DB_URL: postgres.url, SVC_DB_DIRECT_URL: postgres.url }
  const { api } = await startStack(t, { env })
  const flag = { key: 'f', name: 'F', type: 'BOOLEAN_FLAG_TYPE', enabled: false }
  await api('POST', '/api/v1/namespaces/default/flags', flag)
  const isOn = async () => {
    const question = { namespaceKey: 'default', flagKey: 'f', entityId: 'e', context: {} }
    const { body } = await api('POST', '/evaluate/v1/boolean', question)
    return (body as { readonly enabled?: boolean }).enabled
  }
  const took: number[] = []
  for (const enabled of [true, false, true, false]) {
    const startedAt = performance.now()
    const tookMs = () => Math.round(performance.now() - startedAt)
    await api('PUT', '/api/v1/namespaces/default/flags/f', { ...flag, enabled })
    while ((await isOn()) !== enabled && tookMs() < 10 * limitMs) await sleep(5)
    took.push(tookMs())
  }
  t.comment(`ms until it was seen: ${took}`)
  t.ok(Math.max(...took) < limitMs)
  t.ok(postgres.swallowed >= 5, `${postgres.swallowed} were lost`)
})
