import { type Route, routes } from '../contract/route-table.ts'
import type { Random } from '../support/random.ts'
import {
  canaryOf,
  type Fixture,
  type NamespaceKey,
  namespaceKeys,
} from './confused-deputy.fixture.ts'

/** Who asks: with a token without restriction, with one for a namespace, or with nothing. */
export type Caller = 'global' | 'default' | 'red' | 'anonymous'

/**
 * What has to come of a request, as the contract says. Of one that contradicts itself it says less:
 * it may be refused or answered, within the namespace of the caller.
 */
export type Verdict = 'admitted' | 'refused' | 'either'

export interface DeputyRequest {
  readonly route: Route
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly verdict: Verdict
  /** The one namespace that it is about, when it is one beyond doubt. */
  readonly namespaceKey: string | undefined
}

/** A key as it stands in a request, and what that means; nothing where it means nothing for certain. */
interface Spelled {
  readonly text: string
  readonly key: string | undefined
}

/** The login of the caller is ended by some of them, which would be the end of the suite. */
const candidates = routes.filter(
  ({ method, path }) => method === 'GET' || !/\/(self|session)(\/|$)/.test(path),
)

/** Every namespace would be gone soon. */
const notForGlobal = (route: Route) =>
  route.method === 'DELETE' && /^\/api\/v1\/namespaces\/\{key\}$/.test(route.path)

const percent = (text: string) =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')

/** @returns a spelling of the key for a path */
function spellInPath(random: Random, key: NamespaceKey): Spelled {
  if (random.happens(0.6)) return { text: key, key }
  const other = random.pick(namespaceKeys)
  return random.pick<Spelled>([
    { text: percent(key), key },
    { text: percent(key).toUpperCase(), key },
    { text: `${percent(key.slice(0, 1))}${key.slice(1)}`, key },
    { text: key.toUpperCase(), key: key.toUpperCase() },
    { text: `${other},${key}`, key: `${other},${key}` },
    ...[
      percent(key).replaceAll('%', '%25'),
      '',
      `${other}/../${key}`,
      `${other}%2f..%2f${key}`,
      `${other}%5c..%5c${key}`,
      `${other}/%2e%2e/${key}`,
      `./${key}`,
      `/${key}`,
      `${key};${other}`,
      `${key}%00`,
      `${key}%20`,
      `%20${key}`,
      `${key}%0a`,
      `${key}.`,
      `${key}%e2%80%8b`,
      `%ef%bb%bf${key}`,
      `${key}?namespaceKey=${other}`,
      `${key}%3fnamespaceKey=${other}`,
      `${key}%23`,
    ].map((text) => ({ text, key: undefined })),
  ])
}

/** @returns members for a body, by which it names a namespace */
function nameInBody(random: Random, key: NamespaceKey): { members: string; key?: string } {
  const other = random.pick(namespaceKeys)
  const text = JSON.stringify(key)
  return random.pick([
    ...Array(12).fill({ members: `"namespaceKey":${text}`, key }),
    { members: `"namespace_key":${text}`, key },
    { members: '', key: 'default' },
    { members: '"namespaceKey":""', key: 'default' },
    { members: '"namespaceKey":null', key: 'default' },
    { members: `"namespace\\u004bey":${text}`, key },
    { members: `"namespaceKey":${text},"namespaceKey":"${other}"` },
    { members: `"namespaceKey":${text},"namespace_key":"${other}"` },
    { members: `"namespace_key":${text},"namespaceKey":"${other}"` },
    { members: `"namespaceKey":[${text}]` },
    { members: `"namespaceKey":{"key":${text}}` },
    { members: `"namespaceKey":"${key} "` },
    { members: `"namespaceKey":"${key}\\u0000"` },
    { members: `"namespaceKey":"${key}\\u200b"` },
    { members: `"__proto__":{"namespaceKey":${text}}` },
  ])
}

function nameInQuery(random: Random, key: NamespaceKey): { query: string; key?: string } {
  const other = random.pick(namespaceKeys)
  return random.pick([
    ...Array(6).fill({ query: `namespaceKey=${key}`, key }),
    { query: `namespace_key=${key}`, key },
    { query: `namespaceKey=${percent(key)}`, key },
    { query: '', key: 'default' },
    { query: `namespaceKey=${key}&namespaceKey=${other}` },
    { query: `namespaceKey=${key}&namespace_key=${other}` },
    { query: `namespace_key=${key}&namespaceKey=${other}` },
    { query: `namespaceKey[]=${key}` },
    { query: `NamespaceKey=${key}` },
    { query: `namespaceKey=${key}%00` },
    { query: `namespaceKey=${key}%20` },
  ])
}

/** Headers that a careless service takes its namespace, its URL, or its caller from. */
function misleadingHeaders(random: Random, key: NamespaceKey): Record<string, string> {
  return random.pick<Record<string, string>>([
    { 'x-svc-namespace': key },
    { 'x-flipt-namespace': key },
    { 'x-original-url': `/api/v1/namespaces/${key}/flags` },
    { 'x-rewrite-url': `/api/v1/namespaces/${key}/flags` },
    { 'x-forwarded-prefix': `/api/v1/namespaces/${key}` },
    { 'x-http-method-override': 'DELETE' },
    { 'svc-session': 'x', 'svc-assertion': `{"ns":"${key}"}`, 'svc-internal-secret-bin': 'eA' },
    { 'grpc-metadata-namespace': key },
  ])
}

/** Things that look alike in all namespaces, and things that exist in one, as often of another one. */
function fillPath(random: Random, fixture: Fixture, caller: Caller, path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'flagKey') return random.pick(['color', 'color', 'switch', 'gone'])
    if (name === 'segmentKey') return random.pick(['everyone', 'few'])
    if (name === 'key') return random.pick(['color', 'switch', 'everyone', 'few', 'gone'])
    return random.pick(caller === 'global' ? fixture.ids : [...fixture.ids, ...fixture.loginIds])
  })
}

function contentOf(random: Random, fixture: Fixture, { path }: Route, text: string) {
  const id = () => random.pick(fixture.ids)
  const type = /constraints/.test(path)
    ? 'STRING_COMPARISON_TYPE'
    : random.pick(['BOOLEAN_FLAG_TYPE', 'VARIANT_FLAG_TYPE'])
  return {
    key: random.pick(['color', 'switch', 'everyone', 'few', `new-${random.below(20)}`]),
    name: text,
    description: text,
    type,
    enabled: true,
    attachment: JSON.stringify({ text }),
    rank: 1 + random.below(3),
    property: 'p',
    operator: 'eq',
    value: text,
    flagKey: random.pick(['color', 'switch']),
    flagId: id(),
    segmentKey: random.pick(['everyone', 'few']),
    variantId: id(),
    ...(random.happens(0.1) ? { defaultVariantId: id() } : {}),
    rollout: 50,
    ...(random.happens(0.5)
      ? { threshold: { percentage: 50, value: true } }
      : { segment: { segmentKey: 'everyone', value: true } }),
    ...(/order$/.test(path) ? { ruleIds: [id(), id()], rolloutIds: [id(), id()] } : {}),
    entityId: 'entity',
    context: { targetingKey: 'entity', p: text },
  }
}

const batchSizes = [0, 1, 1, 2, 3, 5]

export function nextRequest(random: Random, fixture: Fixture, caller: Caller): DeputyRequest {
  const route = random.pick(
    caller === 'global' ? candidates.filter((one) => !notForGlobal(one)) : candidates,
  )
  const target = random.pick(namespaceKeys)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  let isOdd = false
  let about: ReadonlySet<string> | undefined = new Set()
  const touch = (key: string | undefined) => {
    about = key === undefined || about === undefined ? undefined : new Set([...about, key])
  }

  const [beforeKey, afterKey] = route.path.split(/\{namespaceKey\}|(?<=namespaces?\/)\{key\}/)
  const isInPath = afterKey !== undefined
  const isBatch = /batch/.test(route.path)
  let path = fillPath(random, fixture, caller, beforeKey ?? '')
  if (isInPath) {
    const spelled = spellInPath(random, target)
    path += spelled.text + fillPath(random, fixture, caller, afterKey)
    touch(spelled.key)
  }
  const isNamespaced = route.access === 'namespace'
  const members: string[] = []
  const queries: string[] = []
  const isHere = random.happens(0.8)
  if (route.namespaceHeader !== undefined) {
    const name = random.pick(['X-Svc-Namespace', 'x-flipt-namespace', 'x-svc-namespace'])
    const given = random.pick([target, target, target, '', ` ${target} `])
    headers[name] = given
    touch(given.trim() || 'default')
    if (random.happens(0.15)) {
      headers[name === 'X-Svc-Namespace' ? 'x-svc-namespace' : 'X-Svc-Namespace'] =
        random.pick(namespaceKeys)
      touch(undefined)
    }
  } else if (isNamespaced && !isInPath && route.body === undefined) {
    const named = nameInQuery(random, target)
    queries.push(named.query)
    touch(named.key)
  } else if (isNamespaced && !isInPath && !isBatch && isHere) {
    const named = nameInBody(random, target)
    members.push(named.members)
    touch(named.key)
  } else if (isNamespaced && !isInPath && !isBatch) {
    touch('default')
  }

  const writer = caller === 'global' ? keyOf(about) : caller
  // Who makes a namespace writes in none of those that there are.
  const isOfNone = writer === undefined || route.path === '/api/v1/namespaces'
  const text = isOfNone ? 'new' : canaryOf(writer)
  if (isBatch) {
    const isLegacy = route.path.includes('batch-evaluate')
    let top = 'default'
    let isTopKnown = true
    if (isInPath) {
      top = keyOf(about) ?? ''
      isTopKnown = about !== undefined
      about = isTopKnown ? new Set() : undefined
    } else if (isLegacy && isHere) {
      const named = nameInBody(random, target)
      members.push(named.members)
      isTopKnown = named.key !== undefined
      top = named.key ?? ''
    }
    const items = Array.from({ length: random.pick(batchSizes) }, () => {
      const own = random.happens(0.8) ? target : random.pick(namespaceKeys)
      const named = nameInBody(random, own)
      const isNamed = random.happens(0.7)
      const isEmpty = !isNamed || named.key === undefined
      const inherits = isLegacy && (!isNamed || !/:\s*"[^"]/.test(named.members))
      if (isNamed && named.key === undefined) touch(undefined)
      else if (inherits) touch(isTopKnown ? top : undefined)
      else touch(isEmpty ? 'default' : named.key)
      // Of different ones the older batch refuses what is not as its top says.
      if (isLegacy) isOdd = true
      const rest = `"flagKey":"${random.pick(['color', 'switch', 'gone'])}","entityId":"e"`
      return `{${[isNamed ? named.members : '', rest].filter(Boolean).join(',')}}`
    })
    members.push(`"requests":[${items.join(',')}]`)
  } else if (route.body !== undefined) {
    members.push(JSON.stringify(contentOf(random, fixture, route, text)).slice(1, -1))
  }

  if (isInPath && route.body !== undefined && random.happens(0.3)) {
    const named = nameInBody(random, random.pick(namespaceKeys))
    members.unshift(named.members)
    isOdd = true
  }
  if (random.happens(0.15)) {
    queries.push(nameInQuery(random, random.pick(namespaceKeys)).query)
    isOdd = true
    // What a query says is what a request without a body says.
    if (isNamespaced && !isInPath && route.body === undefined) touch(undefined)
  }
  if (random.happens(0.15)) {
    const misleading = misleadingHeaders(random, random.pick(namespaceKeys))
    if (route.namespaceHeader === undefined) Object.assign(headers, misleading)
  }
  let waitsElsewhere = false
  if (random.happens(0.1)) {
    const revisions = [`${random.pick(namespaceKeys)}:1`, `${random.pick(namespaceKeys)}:1`]
    headers['x-svc-min-revision'] = revisions.join(', ')
    const isRead = route.method === 'GET' || /evaluate/.test(route.path)
    waitsElsewhere = isRead && !revisions.every((one) => one === `${caller}:1`)
  }

  const query = queries.filter(Boolean).join('&')
  const hasBody = route.body !== undefined
  return {
    route,
    path: query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`,
    body: hasBody ? `{${members.filter(Boolean).join(',')}}` : '',
    headers,
    verdict: judge(route, caller, about, { isOdd, waitsElsewhere }),
    namespaceKey: keyOf(about),
  }
}

function keyOf(about: ReadonlySet<string> | undefined): string | undefined {
  return about?.size === 1 ? [...about][0] : undefined
}

function judge(
  { access }: Route,
  caller: Caller,
  about: ReadonlySet<string> | undefined,
  how: { readonly isOdd: boolean; readonly waitsElsewhere: boolean },
): Verdict {
  if (access === 'public') return 'either'
  if (caller === 'anonymous') return 'refused'
  if (caller === 'global') return how.isOdd || about === undefined ? 'either' : 'admitted'
  if (access === 'global') return 'refused'
  if (access !== 'namespace') return 'either'
  if (how.waitsElsewhere) return 'refused'
  if (about === undefined) return 'either'
  const isInside = about.size > 0 && [...about].every((key) => key === caller)
  if (!isInside) return 'refused'
  return how.isOdd ? 'either' : 'admitted'
}
