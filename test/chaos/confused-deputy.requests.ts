import { type Route, routes } from '../contract/route-table.ts'
import { readFixture } from '../support/fixtures.ts'
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

interface Spelling {
  readonly text: string
  readonly means?: string
  /** How many times as often as another it is taken. */
  readonly weight?: number
}

const { headers: misleadingHeaders, ...spellings } = readFixture<
  Record<'paths' | 'bodies' | 'queries', readonly Spelling[]> & {
    readonly headers: readonly Readonly<Record<string, string>>[]
  }
>('confused-deputy')

const percent = (text: string) =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')

/** Puts a namespace into a text, and another one beside it. */
function fillIn(text: string, key: NamespaceKey, other: NamespaceKey): string {
  const values: Readonly<Record<string, string>> = {
    key,
    other,
    KEY: key.toUpperCase(),
    percent: percent(key),
    PERCENT: percent(key).toUpperCase(),
    percent2: percent(key).replaceAll('%', '%25'),
  }
  return text.replace(/\$(percent2|[a-z]+|[A-Z]+)/g, (_, name: string) => values[name] ?? name)
}

/** @returns a spelling of the key for a path, a body or a query */
function spell(random: Random, place: keyof typeof spellings, key: NamespaceKey): Spelled {
  if (place === 'paths' && random.happens(0.6)) return { text: key, key }
  const other = random.pick(namespaceKeys)
  const { text, means } = random.pick(
    spellings[place].flatMap((one) => Array<Spelling>(one.weight ?? 1).fill(one)),
  )
  return {
    text: fillIn(text, key, other),
    key: means === undefined ? undefined : fillIn(means, key, other),
  }
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
  const isOfDrafts = route.path.endsWith('/drafts/apply')
  /** Its namespaces are those of its elements. */
  const isBatch = isOfDrafts || /batch/.test(route.path)
  let path = fillPath(random, fixture, caller, beforeKey ?? '')
  if (isInPath) {
    const spelled = spell(random, 'paths', target)
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
    const named = spell(random, 'queries', target)
    queries.push(named.text)
    touch(named.key)
  } else if (isNamespaced && !isInPath && !isBatch && isHere) {
    const named = spell(random, 'bodies', target)
    members.push(named.text)
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
      const named = spell(random, 'bodies', target)
      members.push(named.text)
      isTopKnown = named.key !== undefined
      top = named.key ?? ''
    }
    const items = Array.from({ length: random.pick(batchSizes) }, () => {
      const own = random.happens(0.8) ? target : random.pick(namespaceKeys)
      const named = spell(random, 'bodies', own)
      const isNamed = random.happens(0.7)
      const isEmpty = !isNamed || named.key === undefined
      const inherits = isLegacy && (!isNamed || !/:\s*"[^"]/.test(named.text))
      if (isNamed && named.key === undefined) touch(undefined)
      else if (inherits) touch(isTopKnown ? top : undefined)
      else touch(isEmpty ? 'default' : named.key)
      // Of different ones the older batch refuses what is not as its top says.
      if (isLegacy) isOdd = true
      const rest = isOfDrafts
        ? '"id":"00000000-0000-4000-8000-000000000000"'
        : `"flagKey":"${random.pick(['color', 'switch', 'gone'])}","entityId":"e"`
      return `{${[isNamed ? named.text : '', rest].filter(Boolean).join(',')}}`
    })
    members.push(`"${isOfDrafts ? 'drafts' : 'requests'}":[${items.join(',')}]`)
  } else if (route.body !== undefined) {
    members.push(JSON.stringify(contentOf(random, fixture, route, text)).slice(1, -1))
  }

  if (isInPath && route.body !== undefined && random.happens(0.3)) {
    const named = spell(random, 'bodies', random.pick(namespaceKeys))
    members.unshift(named.text)
    isOdd = true
  }
  if (random.happens(0.15)) {
    queries.push(spell(random, 'queries', random.pick(namespaceKeys)).text)
    isOdd = true
    // What a query says is what a request without a body says.
    if (isNamespaced && !isInPath && route.body === undefined) touch(undefined)
  }
  if (random.happens(0.15)) {
    const key = random.pick(namespaceKeys)
    const misleading = Object.entries(random.pick(misleadingHeaders))
    if (route.namespaceHeader === undefined) {
      for (const [name, value] of misleading) headers[name] = fillIn(value, key, key)
    }
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
  // All of them are tokens. That they are no session is found after the form of the request.
  if (access === 'session') return how.isOdd ? 'either' : 'refused'
  if (caller === 'global') return how.isOdd || about === undefined ? 'either' : 'admitted'
  if (access === 'global') return 'refused'
  if (access !== 'namespace') return 'either'
  if (how.waitsElsewhere) return 'refused'
  if (about === undefined) return 'either'
  const isInside = about.size > 0 && [...about].every((key) => key === caller)
  if (!isInside) return 'refused'
  return how.isOdd ? 'either' : 'admitted'
}
