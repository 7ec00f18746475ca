import t from 'tap'
import { openEdge } from './edge.ts'

/** `GET, HEAD, POST` in words. */
const uses = (allow = '') => allow.replace(/, (\w+)$/, ' or $1')

t.test('requests that no route matches', async (t) => {
  const app = openEdge()
  const answer = async () => 'ok'
  app.get('/flags', answer)
  app.get('/flags/', answer)
  app.post('/flags', answer)
  app.get('/flags/:key', answer)
  app.put('/flags/:key', answer)
  app.delete('/flags/:key', answer)
  app.put('/flags/:key/rules/order', answer)
  app.get('/flags/:key/rules/:id', answer)
  app.get('/files/*', (_request, reply) => reply.callNotFound())
  t.teardown(() => app.close())

  type Ask = [
    method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'TRACE',
    url: string,
  ]
  const table: [ask: Ask, status: number, allow?: string][] = [
    [['GET', '/flags'], 200],
    [['HEAD', '/flags'], 200],
    [['GET', '/flags/'], 200],
    [['GET', '/flags/a'], 200],
    [['PUT', '/flags'], 405, 'GET, HEAD, POST'],
    [['TRACE', '/flags'], 405, 'GET, HEAD, POST'],
    [['OPTIONS', '/flags'], 405, 'GET, HEAD, POST'],
    [['PATCH', '/flags?a=/flags/a'], 405, 'GET, HEAD, POST'],
    [['POST', '/flags/a'], 405, 'GET, HEAD, PUT, DELETE'],
    // An empty key is a slash at the end of the path without one, and not a key.
    [['PUT', '/flags/'], 405, 'GET, HEAD'],
    [['DELETE', '/flags/'], 405, 'GET, HEAD'],
    [['GET', '/flags//rules/1'], 200],
    // A fixed path does not hide the methods of one with a variable in its place.
    [['GET', '/flags/a/rules/order'], 200],
    [['DELETE', '/flags/a/rules/order'], 405, 'PUT, GET, HEAD'],
    [['PUT', '/flags/a/rules/b'], 405, 'GET, HEAD'],
    [['GET', '/'], 404],
    [['POST', '/nope'], 404],
    [['PATCH', '/nope'], 404],
    [['GET', '/FLAGS'], 404],
    [['GET', '//flags'], 404],
    [['GET', '/flags/a/'], 404],
    [['GET', '/flags/a/b'], 404],
    [['GET', '/flags%2fa'], 404],
    [['GET', '/files/nope'], 404],
    [['POST', '/files/nope'], 405, 'GET, HEAD'],
    [['PATCH', '/fl%61gs'], 405, 'GET, HEAD, POST'],
  ]
  for (const [[method, url], status, allow] of table) {
    await t.test(`${method} ${url} is answered with ${status}`, async (t) => {
      // A body that cannot be read makes no difference: it is not read.
      const payload = method === 'POST' && status !== 200 ? '{"a":' : undefined
      const answer = await app.inject({ method, url, ...(payload && { payload }) })
      t.equal(answer.statusCode, status)
      t.equal(answer.headers.allow, allow)
      if (status === 200) return
      const error =
        status === 405
          ? { code: 12, message: `Method Not Allowed: use ${uses(allow)}`, details: [] }
          : { code: 5, message: 'Not Found', details: [] }
      t.strictSame(answer.json(), error)
    })
  }
})
