import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const flags = '/api/v1/namespaces/default/flags'

t.test('names in a body that mean nothing', async (t) => {
  const origin = 'https://app.example.com'
  const env = { SVC_CORS_ENABLED: 'true', SVC_CORS_ALLOWED_ORIGINS: origin }
  const { api, urls, token } = await startStack(t, { env })
  const ignoredIn = async (method: string, path: string, body: unknown, status = 200) => {
    const answer = await api(method, path, body)
    t.equal(answer.status, status, `${path}: ${answer.text}`)
    return answer.headers.get('x-svc-ignored')
  }
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE' }

  await t.test('are named to clients that manage flags', async (t) => {
    t.equal(await ignoredIn('POST', flags, { ...flag, enabledd: true }), 'enabledd')
    t.equal(await ignoredIn('PUT', `${flags}/on`, { name: 'On', enabled: true }), null)
    const threshold = { percentage: 5, valeu: true }
    t.equal(await ignoredIn('PUT', `${flags}/on/rollouts`, { threshold }), 'threshold.valeu')
    t.equal(
      await ignoredIn('POST', flags, { key: 'x', nmae: 'X' }, 400),
      'nmae',
      'and why it failed',
    )
    const refused = await call(urls[0], 'POST', flags, { nmae: 'X' })
    t.strictSame([refused.status, refused.headers.get('x-svc-ignored')], [401, null])
  })

  await t.test('are named to clients that evaluate', async (t) => {
    const question = { flagKey: 'on', entityId: 'e' }
    t.equal(await ignoredIn('POST', '/evaluate/v1/boolean', question), null)
    t.equal(await ignoredIn('POST', '/evaluate/v1/boolean', { ...question, ctx: {} }), 'ctx')
    t.equal(
      await ignoredIn('POST', '/evaluate/v1/batch', { requests: [{ ...question, ctx: {} }] }),
      'requests.ctx',
    )
    const wrong = { flagKey: 'gone', entity: 'e' }
    t.equal(await ignoredIn('POST', '/evaluate/v1/boolean', wrong, 404), 'entity')
    const legacy = '/api/v1/namespaces/default/evaluate'
    t.equal(await ignoredIn('POST', legacy, { ...question, ctx: 1 }, 400), 'ctx')
    for (const path of ['', '/on']) {
      const bulk = `/ofrep/v1/evaluate/flags${path}`
      t.equal(await ignoredIn('POST', bulk, { context: { a: 1 } }), null)
      t.equal(
        await ignoredIn('POST', bulk, { contxt: {}, targetingKey: 'a' }),
        'contxt, targetingKey',
      )
    }
  })

  await t.test('may be read by pages of other origins', async (t) => {
    const authorization = `Bearer ${token}`
    const body = { name: 'On', nmae: 'On' }
    const answer = await call(urls[0], 'PUT', `${flags}/on`, body, { origin, authorization })
    t.equal(answer.headers.get('x-svc-ignored'), 'nmae')
    t.match(answer.headers.get('access-control-expose-headers'), /\bX-Svc-Ignored\b/)
  })
})

t.test('are logged at debug, without their values', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t)
  const envOf = { gateway: { SVC_LOG_LEVEL: 'debug' } }
  const { api, gateways } = await startFleet(t, { databaseUrl, envOf })
  const answer = await api('POST', flags, { key: 'on', name: 'On', enabledd: 'a value' })
  const lines = gateways[0]?.lines.filter(({ ignored }) => ignored !== undefined)
  t.match(lines, [
    {
      level: 'debug',
      msg: 'names in the body were ignored',
      ignored: 'enabledd',
      route: '/api/v1/namespaces/:namespaceKey/flags',
      requestId: answer.headers.get('x-request-id'),
    },
  ])
  t.notMatch(gateways[0]?.output.join('\n'), 'a value')
})
