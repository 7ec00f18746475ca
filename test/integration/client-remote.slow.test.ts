import { connect } from '@svc/client'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { createShop, german, quiet } from '../support/client-shop.ts'
import { startStack } from '../support/stack.ts'

t.test('flags that the server evaluates for one subject', async (t) => {
  const { urls, api, token } = await startStack(t)
  const [url] = urls
  const { write, base, revision } = await createShop(api)
  const { logger } = quiet()
  /** Statuses of the requests for answers. */
  const statuses: number[] = []
  const options = {
    url,
    mode: 'remote',
    namespace: 'shop',
    credential: { token },
    logger,
    fetch: async (...[input, init]: Parameters<typeof fetch>) => {
      const response = await fetch(input, init)
      if (init?.method === 'POST') statuses.push(response.status)
      return response
    },
  } as const
  const flags = await connect({ ...options, subject: german })
  t.teardown(() => flags.close())

  await t.test('are there when it is connected', async (t) => {
    t.equal(flags.mode, 'remote')
    t.equal(`shop:${flags.revision}`, revision)
    t.equal(flags.isStale, false)
    t.strictSame(statuses, [200])
  })

  await t.test('answer each kind of question about it', async (t) => {
    t.equal(flags.boolean('checkout', undefined, false), true)
    t.equal(flags.variant('color', german, 'red'), 'blue')
    t.strictSame(flags.attachment('color', undefined, {}), { hex: '#00f' })
    t.strictSame(flags.evaluate('color', { ...german, context: { ...german.context } }), {
      value: 'blue',
      variantKey: 'blue',
      attachment: { hex: '#00f' },
      reason: 'TARGETING_MATCH',
      segmentKeys: ['germany'],
      revision: flags.revision,
      isStale: false,
      error: undefined,
    })
    t.equal(flags.evaluate('nothing').error, 'FLAG_NOT_FOUND')
  })

  await t.test('answer with the default about another', async (t) => {
    t.equal(flags.variant('color', { entityId: 'user-1' }, 'red'), 'red')
    t.equal(flags.evaluate('color', { entityId: 'user-1' }).error, 'INVALID_CONTEXT')
    const more = { ...german, context: { ...german.context, plan: 'pro' } }
    t.equal(flags.evaluate('color', more).error, 'INVALID_CONTEXT')
  })

  await t.test('answer about the one that is given last', async (t) => {
    const changes: unknown[] = []
    flags.on('change', ({ flagKeys }) => changes.push(flagKeys))
    await Promise.all([
      flags.setContext({ entityId: 'user-1', context: { country: 'IT' } }),
      flags.setContext({ entityId: 'user-2', context: { country: 'FR' } }),
    ])
    t.equal(flags.variant('color', { entityId: 'user-2', context: { country: 'FR' } }, '-'), '-')
    t.equal(
      flags.evaluate('color', { entityId: 'user-2', context: { country: 'FR' } }).error,
      undefined,
    )
    t.strictSame(changes, [['checkout', 'color']])
    await flags.setContext(german)
    t.equal(flags.boolean('checkout', german, false), true)
  })

  await t.test('follow each change, at once where it is waited for', async (t) => {
    const changes: unknown[] = []
    const stop = flags.on('change', ({ flagKeys }) => changes.push(flagKeys))
    const other = { name: 'Checkout', enabled: true }
    const changed = await write('PUT', `${base}/flags/checkout`, other)
    await flags.waitFor(changed)
    const gone = await write('DELETE', `${base}/flags/checkout`)
    await waitFor(() => `shop:${flags.revision}` === gone)
    t.equal(flags.evaluate('checkout').error, 'FLAG_NOT_FOUND')
    t.strictSame(changes, [['checkout']], 'a change that leaves the answers alone is none')
    stop()
  })

  await t.test('refuse a subject that the server refuses, and keep the answers', async (t) => {
    const context = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, 'x']))
    await t.rejects(flags.setContext({ entityId: 'user-3', context }), {
      name: 'SvcError',
      status: 400,
    })
    t.equal(flags.variant('color', german, 'red'), 'blue')
  })
})
