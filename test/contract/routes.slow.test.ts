import t from 'tap'
import { allMethodsEnabled } from '../support/enabled-methods.ts'
import { notFound, unauthenticated } from '../support/errors.ts'
import { type Answer, call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'
import { ask, type Route, requestTo, routes } from './route-table.ts'

const uncredentialed = {
  ...unauthenticated,
  message: `${unauthenticated.message}: no credential: send Authorization: Bearer <token>`,
}

/** What a namespaced token is refused with where it may not go. */
const restricted = {
  code: 7,
  message: 'token "inside-token" is restricted to namespace "inside"',
  details: [],
}

/** What a token is refused with where a person has to decide. */
const noSession = {
  code: 7,
  message: 'only a browser that is signed in may let the command line log in',
  details: [],
}

/** A refusal in the form that a route answers with. */
function formOf({ path }: Route, refusal: { readonly message: string }): object {
  if (!path.startsWith('/ofrep/')) return refusal
  // An error for one flag names it.
  const key = path.endsWith('/{key}') ? { key: 'nothing' } : {}
  return { ...key, errorCode: 'GENERAL', errorDetails: refusal.message }
}

/** No route is found, and so no key. */
function unmatched({ path }: Route, allow: string | null): object {
  const message = `Method Not Allowed: use ${(allow ?? '').replace(/, (\w+)$/, ' or $1')}`
  return path.startsWith('/ofrep/')
    ? { errorCode: 'GENERAL', errorDetails: message }
    : { code: 12, message, details: [] }
}

/** Whatever the handler thought of the request, it was let through. */
function wasAdmitted({ path }: Route, { status, body }: Answer): boolean {
  const isRouted = JSON.stringify(body) !== JSON.stringify(notFound)
  // Without a login to end, it refuses any caller.
  const endsLogin = path.endsWith('/codehost/callback')
  return isRouted && (endsLogin ? [401, 404] : [200, 400, 404]).includes(status)
}

t.test('routes', async (t) => {
  const { urls, api, token, createNamespacedToken } = await startStack(t, {
    env: allMethodsEnabled,
  })
  const [url] = urls
  await api('POST', '/api/v1/namespaces', { key: 'inside', name: 'Inside' })
  await api('POST', '/api/v1/namespaces', { key: 'outside', name: 'Outside' })
  const inside = await createNamespacedToken('inside')
  const send = async (route: Route, namespaceKey: string, credential?: string) => {
    const { path, body } = requestTo(route, namespaceKey)
    const { namespaceHeader } = route
    const headers = {
      ...(credential && { authorization: `Bearer ${credential}` }),
      ...(namespaceHeader && { [namespaceHeader]: namespaceKey }),
    }
    return await ask(url, route, path, body, headers)
  }

  await t.test('are those of the contract and none besides', async (t) => {
    const document = (await call(url, 'GET', '/openapi.json')).body as {
      paths: Record<string, Record<string, unknown>>
    }
    const anonymous = (path: string) => path.replace(/\{\w+\}/g, '{}')
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => /^(get|post|put|delete|patch|head|options)$/.test(method))
        .map((method) => `${method.toUpperCase()} ${anonymous(path)}`),
    )
    const expected = routes.map(({ method, path }) => `${method} ${anonymous(path)}`)
    t.strictSame(found.toSorted(), expected.toSorted())
    t.equal(new Set(expected).size, expected.length)
  })

  for (const route of routes) {
    await t.test(`${route.method} ${route.path} (${route.access})`, async (t) => {
      const isPublic = route.access === 'public'
      const missing = formOf(route, uncredentialed)
      const unknown = formOf(route, unauthenticated)
      const forbidden = formOf(route, restricted)

      const none = await send(route, 'inside')
      if (isPublic) t.ok(wasAdmitted(route, none), 'is open')
      else t.strictSame([none.status, none.body], [401, missing], 'asks for a credential')

      const wrong = await send(route, 'inside', `${token}x`)
      if (isPublic) t.ok(wasAdmitted(route, wrong), 'is open')
      else t.strictSame([wrong.status, wrong.body], [401, unknown], 'refuses a wrong one')

      const within = await send(route, 'inside', inside)
      if (route.access === 'session') {
        t.strictSame([within.status, within.body], [403, noSession])
        const all = await send(route, 'inside', token)
        t.strictSame([all.status, all.body], [403, noSession])
        return
      }
      if (route.access === 'global') t.strictSame([within.status, within.body], [403, restricted])
      else t.ok(wasAdmitted(route, within), `admits a token inside: ${within.text}`)

      const without = await send(route, 'outside', inside)
      if (isPublic) t.ok(wasAdmitted(route, without), 'is open')
      else if (route.access === 'self') {
        t.ok(wasAdmitted(route, without), 'is about the caller alone')
      } else t.strictSame([without.status, without.body], [403, forbidden], 'refuses it outside')

      // Expiring the only token that may do everything would end the test.
      if (route.path === '/auth/v1/self/expire') return
      const full = await send(route, 'inside', token)
      t.ok(wasAdmitted(route, full), `admits a token without restriction: ${full.text}`)

      const other = await call(url, 'PATCH', requestTo(route, 'inside').path, {})
      const allow = other.headers.get('allow')
      t.strictSame([other.status, other.body], [405, unmatched(route, allow)])
      t.ok(allow?.split(', ').includes(route.method), 'names its methods')
    })
  }
})
