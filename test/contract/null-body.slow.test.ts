import t from 'tap'
import { allMethodsEnabled } from '../support/enabled-methods.ts'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'
import { requestTo, routes } from './route-table.ts'

t.test('null as the whole body is an empty object, on every route', async (t) => {
  const { urls, token } = await startStack(t, { env: allMethodsEnabled })
  const authorization = `Bearer ${token}`
  const taking = routes.filter(({ body }) => body !== undefined)
  t.ok(taking.length > 40, `${taking.length} routes take a body`)
  for (const route of taking) {
    const { path } = requestTo(route, 'default')
    const [empty, ...others] = await Promise.all(
      ['{}', 'null', ' null\n'].map((body) =>
        call(urls[0], route.method, path, body, { authorization }),
      ),
    )
    for (const other of others) {
      t.strictSame(comparable(other), comparable(empty), `${route.method} ${route.path}`)
    }
  }
})

function comparable(answer: Awaited<ReturnType<typeof call>> | undefined) {
  const text = answer?.text ?? ''
  return [
    answer?.status,
    text.replace(/[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z|"requestDurationMillis":[\d.e-]+/g, ''),
  ]
}
