import t from 'tap'
import { type Route, routes } from '../contract/route-table.ts'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const header = 'x-svc-min-revision'

/** Those that are answered from what there is and change nothing, whatever their verb. */
const isRead = ({ method, path }: Route) => method === 'GET' || /evaluate|\/ofrep\//.test(path)

t.test('the revision that a reader wants to see', async (t) => {
  const { api, urls, token, createNamespacedToken } = await startStack(t, { gateways: 2 })
  await api('POST', '/api/v1/namespaces', { key: 'inside', name: 'Inside' })
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  const written = await api('POST', '/api/v1/namespaces/default/flags', flag)
  const revision = Number(written.headers.get('x-svc-revision')?.split(':')[1])
  const evaluate = (headers = {}, url = '/evaluate/v1/boolean') =>
    api('POST', url, { flagKey: 'on' }, headers)
  const never = `default:${revision + 1_000_000}`

  await t.test('is what a write answers', async (t) => {
    t.match(written.headers.get('x-svc-revision'), /^default:[1-9]\d*$/)
    t.equal(written.status, 200)
  })

  await t.test('is here already, or comes: the read is answered', async (t) => {
    for (const value of ['default:1', `default:${revision}`, `default:1, default:${revision}`]) {
      t.match(await evaluate({ [header]: value }), { status: 200, body: { enabled: true } }, value)
    }
  })

  await t.test('does not come: the read is refused', async (t) => {
    for (const url of ['/evaluate/v1/boolean', '/evaluate/v1/boolean?past']) {
      const { status, headers, body } = await evaluate({ [header]: never }, url)
      t.equal(status, 503)
      t.equal(headers.get('retry-after'), '1')
      t.match(body, { code: 14, message: /is not here yet, try again$/ })
    }
  })

  await t.test('is of no interest to writes', async (t) => {
    const path = '/api/v1/namespaces/default/flags/on'
    const change = { name: 'On', enabled: true }
    for (const value of [never, 'malformed']) {
      const { status } = await api('PUT', path, change, { [header]: value })
      t.equal(status, 200)
    }
  })

  await t.test('is refused by every read of a namespace when it is malformed', async (t) => {
    const reads = routes.filter((route) => isRead(route) && route.access === 'namespace')
    t.ok(reads.length > 25, `${reads.length} reads`)
    for (const { method, path, body, namespaceHeader } of reads) {
      const inDefault = path.replace(/namespaces?\/\{\w+\}/, (part) =>
        part.replace(/\{\w+\}/, 'default'),
      )
      const { status, text } = await api(method, inDefault.replace(/\{\w+\}/g, 'on'), body, {
        [header]: 'default:latest',
        ...(namespaceHeader === undefined ? {} : { [namespaceHeader]: 'default' }),
      })
      t.equal(status, 400, `${method} ${path}`)
      t.match(text, /X-Svc-Min-Revision/, `${method} ${path}`)
    }
  })

  await t.test('of another namespace is none of the business of a bound token', async (t) => {
    const bound = await createNamespacedToken('inside')
    const ask = (url: string, value: string) => {
      const headers = { authorization: `Bearer ${bound}`, [header]: value }
      const body = { flagKey: 'on', namespaceKey: 'inside' }
      return call(urls[0], 'POST', url, body, headers)
    }
    for (const url of ['/evaluate/v1/boolean', '/evaluate/v1/boolean?past']) {
      for (const value of ['default:1', never, `inside:1, ${never}`]) {
        const { status } = await ask(url, value)
        t.equal(status, 403, `${url} ${value}`)
      }
      t.equal((await ask(url, 'inside:1')).status, 404, 'its own is')
    }
    const headers = { authorization: `Bearer ${bound}`, [header]: 'inside:1' }
    for (const url of ['/evaluate/v1/batch', '/api/v1/batch-evaluate']) {
      const { status } = await call(urls[0], 'POST', url, { requests: [] }, headers)
      t.equal(status, 403, 'and what is about no namespace is not of its own by that')
    }
  })

  await t.test('is not looked at where there is no namespace to read', async (t) => {
    const bound = await createNamespacedToken('inside')
    const self = routes.filter((route) => isRead(route) && route.access === 'self')
    t.ok(self.length > 1, `${self.length} routes`)
    for (const { method, path } of self) {
      for (const value of ['default:1', never, 'nowhere:1', 'malformed']) {
        const headers = { authorization: `Bearer ${bound}`, [header]: value }
        const { status } = await call(urls[0], method, path, undefined, headers)
        t.equal(status, 200, `${method} ${path} ${value}`)
      }
    }
    t.equal((await api('GET', '/api/v1/namespaces', undefined, { [header]: never })).status, 200)
  })

  await t.test('may be the number of a deletion', async (t) => {
    await api('POST', '/api/v1/namespaces', { key: 'brief', name: 'Brief' })
    const deleted = await api('DELETE', '/api/v1/namespaces/brief')
    const value = deleted.headers.get('x-svc-revision') ?? ''
    t.match(value, /^brief:\d+$/)
    for (const url of urls) {
      const headers = { authorization: `Bearer ${token}`, [header]: value }
      const gone = await call(url, 'GET', '/api/v1/namespaces/brief', undefined, headers)
      t.equal(gone.status, 404)
    }
  })
})
