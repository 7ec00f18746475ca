import { loadContract } from '@svc/contract'
import t from 'tap'
import { type AuthMethodFixture, startAllAuthMethods } from '../support/all-auth-methods.ts'
import type { Answer } from '../support/http.ts'
import { ask, type Route, requestTo, routes } from './route-table.ts'

/** Which namespace a request names, if any. */
const places = { right: 'inside', other: 'outside', none: undefined } as const
type Place = keyof typeof places

type Verdict = 'admitted' | 'unauthenticated' | 'forbidden'

/** Each login may look at it. */
const ownSession: Route = { method: 'GET', path: '/auth/v1/session', access: 'self' }

const anonymous: AuthMethodFixture = { name: 'anonymous', logIn: async () => ({}) }

/** What only people manage or read, and static tokens for them; workloads may not. */
const isTokenManagement = ({ path, access }: Route) =>
  access === 'global' && /^\/auth\/v1\/(tokens|method\/token|sessions|events)/.test(path)

/** Afterwards the login is no more. */
const endsItself = ({ method, path }: Route) =>
  method !== 'GET' && method !== 'POST' && /\/(self|session)(\/|$)/.test(path)

function expected(route: Route, who: AuthMethodFixture, place: Place): Verdict {
  if (route.access === 'public') return 'admitted'
  if (who === anonymous) return 'unauthenticated'
  if (route.access === 'session') return who.isSession ? 'admitted' : 'forbidden'
  if (route.access === 'self') return 'admitted'
  if (route.access === 'namespace') {
    if (who.namespaceKey === undefined) return 'admitted'
    // What names none is about `default`.
    return who.namespaceKey === (places[place] ?? 'default') ? 'admitted' : 'forbidden'
  }
  if (who.namespaceKey !== undefined) return 'forbidden'
  return who.isWorkload && isTokenManagement(route) ? 'forbidden' : 'admitted'
}

/** A path cannot name none. An empty part of it means what no name means elsewhere. */
function requestFor(route: Route, place: Place) {
  const key = places[place]
  const { path, body } = requestTo(route, key ?? '')
  if (key !== undefined) return { path, body }
  const { namespaceKey: _, ...rest } = (body ?? {}) as { namespaceKey?: string }
  return { path: path.replace(/\?namespaceKey=$/, ''), body: body && rest }
}

function verdictOf({ access }: Route, { status, body }: Answer): string {
  // A login method has reasons of its own to refuse, which are none of this.
  if (access === 'public' && [200, 302, 400, 401, 403, 404, 429, 503].includes(status)) {
    return 'admitted'
  }
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  const isRouted = JSON.stringify(body) !== '{"code":5,"message":"Not Found","details":[]}'
  return isRouted && [200, 400, 404].includes(status) ? 'admitted' : `${status}`
}

t.test('every route, by every caller, in every namespace', async (t) => {
  const { urls, api, waysIn } = await startAllAuthMethods(t)
  for (const key of ['inside', 'outside']) {
    await api('POST', '/api/v1/namespaces', { key, name: key })
  }

  await t.test('has the access rule that its annotation says', async (t) => {
    const found = loadContract().operations.flatMap(({ access, bindings }) => {
      const scope = access.scope.case.replace('namespaceHeader', 'namespace')
      return bindings.map(({ verb, template }) => `${verb} ${template.text} ${scope}`)
    })
    const byHand = routes.map(
      // That it is a session, the service finds out itself.
      ({ method, path, access }) => `${method} ${path} ${access.replace('session', 'self')}`,
    )
    const unnamed = (all: readonly string[]) =>
      all.map((line) => line.replace(/\{\w+\}/g, '{}')).toSorted()
    t.strictSame(unnamed(found), unnamed(byHand))
  })

  let cells = 0
  const wrong: string[] = []
  const counts: Record<string, number> = {}
  for (const who of [anonymous, ...waysIn]) {
    await t.test(who.name, async (t) => {
      let usual = await who.logIn()
      const { status } = await ask(urls[0], ownSession, ownSession.path, undefined, usual)
      t.equal(status === 401, who === anonymous, 'is known')
      for (const route of routes) {
        for (const place of Object.keys(places) as Place[]) {
          // Where a request goes does not depend on a namespace, and login routes count their callers.
          if (route.access === 'public' && place !== 'right') continue
          const { path, body } = requestFor(route, place)
          // Without its last part this is another route's.
          if (path.endsWith('/')) continue
          const { namespaceHeader } = route
          const key = places[place]
          const headers = {
            ...usual,
            ...(namespaceHeader && key && { [namespaceHeader]: key }),
          }
          const answer = await ask(urls[0], route, path, body, headers)
          const verdict = verdictOf(route, answer)
          const right = expected(route, who, place)
          if (endsItself(route)) usual = await who.logIn()
          cells += 1
          counts[verdict] = (counts[verdict] ?? 0) + 1
          if (verdict !== right) {
            const said = `${answer.status} ${answer.text.slice(0, 200)}`
            wrong.push(`${route.method} ${path} (${place}): ${right}, and not ${said}`)
          }
        }
      }
      t.strictSame(wrong.splice(0), [])
    })
  }
  t.comment(`${cells} cells of the matrix: ${JSON.stringify(counts)}`)
  t.ok(cells > 2000)
})
