import { connect, SvcError } from '@svc/client'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { createShop, german, quiet } from '../support/client-shop.ts'
import { startStack } from '../support/stack.ts'

t.test('flags that are evaluated in the application', async (t) => {
  const { urls, api, token, createNamespacedToken } = await startStack(t)
  const [url] = urls
  const { write, base, revision } = await createShop(api)
  const { logger, lines } = quiet()
  const options = { url, namespace: 'shop', credential: { token }, logger }
  const flags = await connect(options)
  t.teardown(() => flags.close())

  await t.test('are there when it is connected', async (t) => {
    t.equal(flags.mode, 'local')
    t.equal(`shop:${flags.revision}`, revision)
    t.equal(flags.isReady, true)
    t.equal(flags.isStale, false)
    t.ok(flags.ageMs >= 0 && flags.ageMs < 5000)
  })

  await t.test('answer each kind of question', async (t) => {
    t.equal(flags.boolean('checkout', german, false), true)
    t.equal(flags.boolean('checkout', undefined, true), false)
    t.equal(flags.variant('color', german, 'red'), 'blue')
    t.equal(flags.variant('color', { entityId: 'user-42' }, 'red'), 'red')
    t.strictSame(flags.attachment('color', german, { hex: '#f00' }), { hex: '#00f' })
    t.strictSame(flags.attachment('color', undefined, { hex: '#f00' }), { hex: '#f00' })
    t.strictSame(flags.evaluate('color', german), {
      value: 'blue',
      variantKey: 'blue',
      attachment: { hex: '#00f' },
      reason: 'TARGETING_MATCH',
      segmentKeys: ['germany'],
      revision: flags.revision,
      isStale: false,
      error: undefined,
    })
  })

  await t.test('answer with the default, and say why once', async (t) => {
    for (let i = 0; i < 3; i++) {
      t.equal(flags.boolean('nothing', german, true), true)
      t.equal(flags.boolean('color', german, true), true)
      t.equal(flags.variant('checkout', german, 'red'), 'red')
    }
    t.equal(flags.evaluate('nothing').error, 'FLAG_NOT_FOUND')
    t.match(lines, [
      'svc flags: flag "nothing" of namespace "shop": there is no such flag',
      'svc flags: flag "color" of namespace "shop": ask boolean() for boolean flags',
      'svc flags: flag "checkout" of namespace "shop": ask boolean() for boolean flags',
    ])
    t.equal(lines.length, 3)
  })

  await t.test('are explained as the server explains them', async (t) => {
    const question = { namespaceKey: 'shop', flagKey: 'color', ...german }
    const { body } = await api('POST', '/evaluate/v1/explain', question)
    const explanation = JSON.parse(JSON.stringify(await flags.explain('color', german)))
    const { requestId: _, ...expected } = body as Record<string, unknown>
    t.match(expected, explanation)
    await t.rejects(flags.explain('nothing'), { name: 'SvcError', code: 5 })
  })

  await t.test('follow each change, and say which flags it concerns', async (t) => {
    const changes: unknown[] = []
    const stop = flags.on('change', (change) => changes.push(change))
    const path = `${base}/segments/germany`
    const segment = await write('PUT', path, { name: 'Germany', matchType: 'ANY_MATCH_TYPE' })
    await flags.waitFor(segment)
    await waitFor(() => changes.length === 1)
    const gone = await write('DELETE', `${base}/flags/checkout`)
    await flags.waitFor(gone)
    t.equal(flags.evaluate('checkout', german).error, 'FLAG_NOT_FOUND')
    await waitFor(() => changes.length === 2)
    stop()
    await flags.waitFor(await write('DELETE', `${base}/flags/color`))
    const numberOf = (revision: string) => Number(revision.split(':')[1])
    t.strictSame(changes, [
      { flagKeys: ['checkout', 'color'], revision: numberOf(segment) },
      { flagKeys: ['checkout'], revision: numberOf(gone) },
    ])
  })

  await t.test('wait for a revision, and no longer than they may', async (t) => {
    await flags.waitFor('shop:1')
    const late = flags.waitFor(`shop:${flags.revision + 1000}`, { timeoutMs: 50 })
    await t.rejects(late, { name: 'SvcError', code: 4 })
    await t.rejects(flags.waitFor('default:1'), { name: 'SvcError', code: 3 })
  })

  await t.test('are nothing in a namespace that does not exist, until it does', async (t) => {
    const other = await connect({ ...options, namespace: 'later' })
    t.teardown(() => other.close())
    t.equal(other.evaluate('on').error, 'FLAG_NOT_FOUND')
    await write('POST', '/api/v1/namespaces', { key: 'later', name: 'Later' })
    const on = { key: 'on', name: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
    await other.waitFor(await write('POST', '/api/v1/namespaces/later/flags', on))
    t.equal(other.boolean('on', undefined, false), true)
  })

  await t.test('are refused without a valid credential, and it says what to do', async (t) => {
    const refused = async (credential?: { token: string }) => {
      const error: unknown = await connect({ ...options, credential }).then(
        () => undefined,
        (error) => error,
      )
      return error instanceof SvcError ? [error.status, error.message] : error
    }
    const none = await refused()
    t.match(none, [401, /does not accept the credential .*give a valid one as `credential`/])
    t.match(await refused({ token: 'svc_nothing' }), [401, /does not accept the credential/])
    const foreign = await createNamespacedToken('default')
    t.match(await refused({ token: foreign }), [403, /may not read the flags of namespace "shop"/])
  })
})
