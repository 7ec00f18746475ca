import { explainDocument } from '@svc/documents/explain'
import { randomDocuments } from '@svc/documents/testing'
import t from 'tap'
import { createRandom, type Random } from '../support/random.ts'
import { sendableFlags } from '../support/random-documents.ts'
import { startStack } from '../support/stack.ts'

const drafts = Number(process.env.FUZZ_DRAFTS ?? 200)
/** Each flag is saved so many times, each time as another draft. */
const draftsPerFlag = 4
const seed = Number(process.env.FUZZ_SEED ?? 20_261_125)
const base = '/api/v1/namespaces/default'

type Flag = ReturnType<typeof sendableFlags>[number]
type Segment = ReturnType<typeof segmentsOf>[number]

const segmentKeys = ['beta', 'eu', 'guests', 'staff']

function segmentsOf(seed: number) {
  return randomDocuments('segment', { count: segmentKeys.length, seed }).map((segment, place) => ({
    ...segment,
    key: segmentKeys[place] ?? '',
  }))
}

/** As an editor makes it: what is new has no id, attachments are in lines, percentages have many decimals. */
function toDraft(flag: Flag, key: string, type: Flag['type'], random: Random): Flag {
  const share = (percentage: number) =>
    random.happens(0.3) ? Math.min(100, percentage + random.below(1e6) / 1e7) : percentage
  const id = (id: string) => (random.happens(0.5) ? '' : id)
  return {
    ...flag,
    key,
    type,
    variants: flag.variants.map((variant) => ({
      ...variant,
      id: id(variant.id),
      attachment: variant.attachment && JSON.stringify(JSON.parse(variant.attachment), null, 2),
    })),
    rules: flag.rules.map((rule) => ({
      ...rule,
      id: id(rule.id),
      distributions: rule.distributions.map((one) => ({ ...one, rollout: share(one.rollout) })),
    })),
    rollouts: flag.rollouts.map(({ threshold, ...rollout }) => ({
      ...rollout,
      id: id(rollout.id),
      ...(threshold && { threshold: { ...threshold, percentage: share(threshold.percentage) } }),
    })),
  }
}

/** What is asked about, in part such that constraints hold. */
function contextFor(segments: readonly Segment[], random: Random): Record<string, unknown> {
  const constraints = segments.flatMap(({ constraints }) => constraints)
  // A body with this name is refused.
  const known = constraints.filter(({ property }) => property !== '__proto__')
  const context = known
    .filter(() => random.happens(0.7))
    .map(({ property, value }) => {
      const texts = [value, value, `${value}x`, 'true', '7']
      const others = [12.5, true, null, { a: [1] }, '2031-01-01']
      return [property, random.pick<unknown>([...texts, ...others])]
    })
  return Object.fromEntries(context)
}

t.test(`${drafts} drafts are explained in the page as by the service after the save`, async (t) => {
  t.comment(`FUZZ_SEED=${seed}`)
  const { api } = await startStack(t)
  const random = createRandom(seed)
  const flags = sendableFlags(drafts, seed)
  let segments: readonly Segment[] = []
  let compared = 0
  const decided = new Set<string>()

  for (const [number, flag] of flags.entries()) {
    if (number % 50 === 0) {
      segments = segmentsOf(seed + number)
      for (const segment of segments) {
        const { status, text } = await api('PUT', `${base}/documents/segments/${segment.key}`, {
          segment,
        })
        if (status !== 200) throw new Error(text)
      }
    }
    const place = Math.floor(number / draftsPerFlag)
    const type = place % 2 === 0 ? 'BOOLEAN_FLAG_TYPE' : 'VARIANT_FLAG_TYPE'
    const draft = toDraft(flag, `draft-${place}`, type, random)
    const questions = ['', `user-${number}`].map((entityId) => ({
      entityId,
      context: contextFor(segments, random),
    }))
    // The page knows nothing of the save yet.
    const inPage = questions.map((question) =>
      explainDocument({ namespaceKey: 'default', revision: 0, flag: draft, segments, ...question }),
    )
    const saved = await api('PUT', `${base}/documents/flags/${draft.key}`, { flag: draft })
    if (saved.status !== 200) throw new Error(saved.text)
    const headers = { 'x-svc-min-revision': saved.headers.get('x-svc-revision') ?? '' }
    for (const [i, question] of questions.entries()) {
      const body = { flagKey: draft.key, ...question }
      const { text } = await api('POST', '/evaluate/v1/explain', body, headers)
      const expected = text.replace(/"revision":\d+/, '"revision":0')
      const explained = inPage[i]
      t.equal(JSON.stringify(explained), expected, `draft ${number}, question ${i}`)
      compared += 1
      for (const { verdict } of explained?.steps ?? []) decided.add(verdict)
    }
  }
  t.equal(compared, 2 * drafts)
  t.equal(decided.size, 4, 'steps that decided, that did not match, beyond and not reached')
})
