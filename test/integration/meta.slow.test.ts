import { version } from '@svc/runtime'
import t from 'tap'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const info = {
  version,
  goVersion: `node ${process.version}`,
  updateAvailable: false,
  isRelease: true,
  os: process.platform,
  arch: process.arch,
  authentication: { required: true },
  storage: { type: 'database' },
  analytics: { enabled: false },
}

t.test('GET /meta/info', async (t) => {
  const { urls, api, token, createNamespacedToken } = await startStack(t)

  await t.test('says what this service is', async (t) => {
    for (const path of ['/meta/info', '/meta/info/']) {
      const { status, headers, body } = await api('GET', path)
      t.equal(status, 200)
      t.match(headers.get('content-type'), /^application\/json/)
      t.strictSame(body, info)
    }
    t.match((await api('GET', '/meta/info?pretty')).text, /^\{\n {2}"version"/)
  })

  await t.test('is for callers that may read it', async (t) => {
    const refused = { code: 16, message: String, details: [] }
    t.match(await call(urls[0], 'GET', '/meta/info'), { status: 401, body: refused })
    const wrong = { authorization: `Bearer ${token}x` }
    t.equal((await api('GET', '/meta/info', undefined, wrong)).status, 401)
    const authorization = `Bearer ${await createNamespacedToken('default')}`
    t.match(await api('GET', '/meta/info', undefined, { authorization }), {
      status: 403,
      body: { code: 7, message: 'token "default-token" is restricted to namespace "default"' },
    })
  })

  await t.test('is all there is: the configuration is not served', async (t) => {
    t.match(await api('GET', '/meta/config'), { status: 404, body: { code: 5 } })
  })
})

const open = [
  ['SVC_AUTHENTICATION_EXCLUDE_METADATA', 'true', 401],
  ['SVC_AUTHENTICATION_REQUIRED', 'false', 200],
] as const

for (const [name, value, elsewhere] of open) {
  t.test(`GET /meta/info without credentials, where ${name} is ${value}`, async (t) => {
    const { urls } = await startStack(t, { env: { [name]: value } })
    const { status, body } = await call(urls[0], 'GET', '/meta/info')
    const authentication = { required: elsewhere === 401 }
    t.strictSame([status, body], [200, { ...info, authentication }])
    const wrong = { authorization: 'Bearer wrong' }
    t.equal((await call(urls[0], 'GET', '/meta/info', undefined, wrong)).status, 401)
    t.equal((await call(urls[0], 'GET', '/ofrep/v1/configuration')).status, elsewhere)
  })
}
