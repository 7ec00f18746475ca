import t from 'tap'
import { names, queries, separators } from '../support/path-spellings.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startStack } from '../support/stack.ts'

/** Stands in every text of the foreign namespace, so that a leak of any of it shows. */
const canary = 'canary-7f3a'

const methods = ['GET', 'PUT', 'DELETE', 'POST']

const tails = [
  '/flags',
  '/flags/secret',
  '/segments',
  '/segments/secret',
  '/flags/secret/rules',
  '/flags/secret/rollouts',
]

/** Where else a path has the key of a namespace in it. */
const otherPaths = [
  (key: string) => `/internal/v1/evaluation/snapshot/namespace${key}`,
  (key: string) => `/internal/v1/evaluation/stream/namespace${key}`,
  (key: string) => `/ofrep/v1/namespaces${key}/events`,
]

function spellings(): string[] {
  const all = new Set<string>()
  for (const separator of separators) {
    for (const tail of tails) {
      all.add(`/api/v1/namespaces${separator}outside${tail}`)
      all.add(`/api/v1/namespaces/outside${separator}${tail.slice(1)}`)
      all.add(`/api/v1${separator}namespaces/outside${tail}`)
      all.add(`/api/v1/namespaces/inside${separator}outside${tail}`)
    }
  }
  for (const name of names) {
    for (const tail of tails) all.add(`/api/v1/namespaces/${name}${tail}`)
    all.add(`/api/v1/namespaces/${name}`)
    for (const pathOf of otherPaths) all.add(pathOf(`/${name}`))
  }
  for (const pathOf of otherPaths) {
    for (const separator of separators) {
      all.add(pathOf(`${separator}outside`))
      all.add(pathOf(`/inside${separator}outside`))
    }
    for (const query of ['key=outside', ...queries]) all.add(`${pathOf('/inside')}?${query}`)
  }
  for (const query of queries) {
    for (const tail of tails) {
      all.add(`/api/v1${tail}?${query}`)
      all.add(`/api/v1/namespaces/inside${tail}?${query}`)
    }
  }
  for (const prefix of [
    '/API/v1',
    '/api/V1',
    '/api/v1/Namespaces/..',
    '/evaluate/v1/../../api/v1',
  ]) {
    for (const tail of tails) all.add(`${prefix}/namespaces/outside${tail}`)
  }
  return [...all]
}

t.test('no spelling of a path takes a namespaced token into another namespace', async (t) => {
  const { urls, api, createNamespacedToken } = await startStack(t)
  for (const key of ['inside', 'outside']) {
    const text = key === 'outside' ? canary : 'harmless'
    const base = `/api/v1/namespaces/${key}`
    await api('POST', '/api/v1/namespaces', { key, name: text, description: text })
    await api('POST', `${base}/flags`, { key: 'secret', name: text, description: text })
    await api('POST', `${base}/segments`, { key: 'secret', name: text, description: text })
    const rule = { segmentKey: 'secret', rank: 1 }
    await api('POST', `${base}/flags/secret/rules`, rule)
  }
  const stateOutside = async () => {
    const paths = ['', '/flags', '/segments', '/flags/secret/rules']
    return await Promise.all(
      paths.map(async (path) => (await api('GET', `/api/v1/namespaces/outside${path}`)).body),
    )
  }
  const { headers: written } = await api('PUT', '/api/v1/namespaces/outside', { name: canary })
  // A stream of events begins with the revision of its namespace.
  const revision = String(written.get('x-svc-revision')).replace('outside:', 'id: ')
  const before = await stateOutside()
  const token = await createNamespacedToken('inside')
  const port = Number(new URL(urls[0]).port)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const targets = spellings()
  t.ok(targets.length >= 1000, `${targets.length} spellings`)

  const leaks: string[] = []
  const faults: string[] = []
  const counts: Record<number, number> = {}
  const bodies = ['', JSON.stringify({ key: 'new', name: 'new', rank: 2, segmentKey: 'secret' })]
  for (const target of targets) {
    for (const method of methods) {
      // A write inside the own namespace is no leak, but it would use up what the next one needs.
      const body = method === 'POST' || method === 'PUT' ? bodies[1] : bodies[0]
      const { status, text } = await sendRaw(port, method, target, headers, body)
      counts[status] = (counts[status] ?? 0) + 1
      const spelled = `${method} ${JSON.stringify(target)} -> ${status}`
      if (text.includes(canary) || text.includes(`${revision}\n`)) leaks.push(spelled)
      if (status >= 500 || status === 0) faults.push(spelled)
    }
  }
  t.comment(`${targets.length * methods.length} requests by status: ${JSON.stringify(counts)}`)
  t.strictSame(leaks, [], 'nothing of the other namespace is told')
  t.strictSame(faults, [], 'nothing fails')
  t.strictSame(await stateOutside(), before, 'nothing in it is changed')
})
