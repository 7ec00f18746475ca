import { canonicalText, type DocumentOf, toFlagRecord, toSegmentRecord } from '@svc/documents'
import { randomDocuments, segmentKeys } from '@svc/documents/testing'
import { evaluateBoolean, evaluateVariant, FlagSet, toEntity } from '@svc/evaluation'
import t from 'tap'
import type { Request } from '../support/http.ts'
import { sendableFlags } from '../support/random-documents.ts'
import { startStack } from '../support/stack.ts'

type Flag = DocumentOf['flag']
type Segment = DocumentOf['segment']

const namespace = '/api/v1/namespaces/default'

/** With those that the flags refer to: a thousand documents. */
const counts = { flag: 800, segment: 200 - segmentKeys.length }

/** With other documents of the same keys each time. */
const rounds = Number(process.env.APPLY_ROUNDS ?? 3)

const entities = Array.from({ length: 1000 }, (_, n) => `entity-${n}`)

/** Random documents, the same keys each time and otherwise others. */
function draw(seed: number) {
  const flags = sendableFlags(counts.flag, seed)
  const segments = randomDocuments('segment', { count: counts.segment, seed })
  return {
    // Its type is what a flag keeps.
    flags: flags.map(
      (flag, n): Flag => ({
        ...flag,
        key: `flag-${n}`,
        type: n % 4 === 0 ? 'BOOLEAN_FLAG_TYPE' : 'VARIANT_FLAG_TYPE',
      }),
    ),
    segments: [
      ...segments.map((segment, n): Segment => ({ ...segment, key: `segment-${n}` })),
      ...segmentKeys.map(
        (key): Segment => ({
          ...{ key, name: key, description: '', matchType: 'ALL_MATCH_TYPE', constraints: [] },
        }),
      ),
    ],
  }
}

type Drawn = ReturnType<typeof draw>

/** In requests that have no more names than a body may have; random metadata has many. */
async function applyAll(api: Request, { flags, segments }: Drawn) {
  const operations = [
    ...segments.map((segment) => ({ kind: 'SEGMENT_KIND', segment })),
    ...flags.map((flag) => ({ kind: 'FLAG_KIND', flag })),
  ]
  const done = { changed: 0, unchanged: 0 }
  for (let from = 0; from < operations.length; from += 200) {
    const part = { operations: operations.slice(from, from + 200) }
    const { status, text, body } = await api('POST', `${namespace}/apply`, part)
    if (status !== 200) throw new Error(text)
    const { items, unchanged } = body as { items: readonly unknown[]; unchanged: number }
    done.changed += items.length
    done.unchanged += unchanged
  }
  return done
}

/** All pages. */
async function readAll(api: Request): Promise<Drawn> {
  const all: Drawn = { flags: [], segments: [] }
  let token = ''
  do {
    const { body } = await api('GET', `${namespace}/document?limit=300&pageToken=${token}`)
    const page = body as Drawn & { readonly nextPageToken: string }
    all.flags.push(...page.flags)
    all.segments.push(...page.segments)
    token = page.nextPageToken
  } while (token !== '')
  return all
}

/** By key; without ids where those of other documents are replaced. */
function textsOf({ flags, segments }: Drawn, withIds: boolean) {
  const texts = [
    ...flags.map((flag) => canonicalText('flag', flag)),
    ...segments.map((segment) => canonicalText('segment', segment)),
  ]
  return texts.map((text) => (withIds ? text : text.replace(/"id":"[^"]*",/g, ''))).toSorted()
}

t.test('a thousand random documents', async (t) => {
  const { api } = await startStack(t)

  for (let seed = 1; seed <= rounds; seed += 1) {
    await t.test(`are read as they were applied, round ${seed}`, async (t) => {
      const drawn = draw(seed)
      t.equal((await applyAll(api, drawn)).unchanged, seed === 1 ? 0 : segmentKeys.length)
      t.strictSame(textsOf(await readAll(api), seed === 1), textsOf(drawn, seed === 1))
      t.strictSame(await applyAll(api, drawn), { changed: 0, unchanged: 1000 })

      const set = new FlagSet()
      const [flags, segments] = [drawn.flags.map(toFlagRecord), drawn.segments.map(toSegmentRecord)]
      set.apply({ flags, segments, deletedFlagKeys: [], deletedSegmentKeys: [] })
      const wrong = await Promise.all(
        Array.from({ length: 5 }, async (_, shift) => {
          const asked = entities.map((entityId, n) => ({
            ...{ entityId, flagKey: `flag-${(n * 7 + shift) % counts.flag}`, context: {} },
          }))
          const { body } = await api('POST', '/evaluate/v1/batch', { requests: asked })
          const { responses } = body as { readonly responses: readonly Answer[] }
          return asked.filter(
            (one, n) => servedBy(responses[n]) !== evaluate(set, one.flagKey, one.entityId),
          )
        }),
      )
      t.strictSame(wrong.flat(), [], 'the buckets are those of the engine')
    })
  }
})

interface Answer {
  readonly booleanResponse?: { readonly enabled: boolean }
  readonly variantResponse?: { readonly variantKey: string }
}

function servedBy(answer: Answer | undefined): unknown {
  return answer?.booleanResponse?.enabled ?? answer?.variantResponse?.variantKey
}

function evaluate(set: FlagSet, flagKey: string, entityId: string): unknown {
  const flag = set.get(flagKey)
  if (flag === undefined) return undefined
  const entity = toEntity(entityId, {})
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? evaluateBoolean(flag, entity).enabled
    : evaluateVariant(flag, entity).variantKey
}
