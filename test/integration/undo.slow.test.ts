import { canonicalText, type DocumentOf } from '@svc/documents'
import t from 'tap'
import type { Request } from '../support/http.ts'
import { createRandom, type Random } from '../support/random.ts'
import { sendableFlags } from '../support/random-documents.ts'
import { startStack } from '../support/stack.ts'

/** Enough for each kind of write to meet what each other has left, unless the environment says less. */
const writes = Number(process.env.UNDO_WRITES ?? 500)

const seed = 20_261_125
const namespace = '/api/v1/namespaces/default'
const flagKeys = ['f-1', 'f-2', 'f-3', 'f-4', 'f-5', 'f-6']
const segmentKeys = ['beta', 'eu', 'guests', 'staff', 's-1']

interface Content {
  readonly settings: DocumentOf['namespace']
  readonly flags: readonly DocumentOf['flag'][]
  readonly segments: readonly DocumentOf['segment'][]
}

async function read(api: Request): Promise<Content> {
  return (await api('GET', `${namespace}/document?limit=1000`)).body as Content
}

/** Every document by its key, to the byte, ids included. */
function textsOf({ settings, flags, segments }: Content): string[] {
  return [
    canonicalText('namespace', settings),
    ...flags.map((flag) => canonicalText('flag', flag)),
    ...segments.map((segment) => canonicalText('segment', segment)),
  ]
}

type Write = readonly [method: string, path: string, body?: object]

/** One write of any kind, about something that there is, or of which there may be none. */
function nextWrite(random: Random, { flags, segments }: Content): Write {
  const { pick, below } = random
  const number = 1 + below(1000)
  const flag = flags.length > 0 ? pick(flags) : undefined
  const segment = segments.length > 0 ? pick(segments) : undefined
  const [flagKey, segmentKey] = [flag?.key ?? pick(flagKeys), segment?.key ?? pick(segmentKeys)]
  const at = `${namespace}/flags/${flagKey}`
  const variant = flag?.variants.length ? pick(flag.variants) : undefined
  const rule = flag?.rules.length ? pick(flag.rules) : undefined
  const rollout = flag?.rollouts.length ? pick(flag.rollouts) : undefined
  const constraint = segment?.constraints.length ? pick(segment.constraints) : undefined
  const distribution = rule?.distributions.length ? pick(rule.distributions) : undefined
  const comparison = { type: 'STRING_COMPARISON_TYPE', property: 'p', operator: 'eq' }
  const served = pick([
    { threshold: { percentage: number / 10, value: true } },
    { segment: { segmentKeys: [segmentKey], value: true } },
  ])
  const ids = (list: readonly { readonly id: string }[] = []) =>
    list.map(({ id }) => id).toReversed()
  const patch = { name: `P ${number}`, rules: null, metadata: { n: number } }
  const [drawn] = sendableFlags(1, number)
  const choices: readonly Write[] = [
    ['POST', `${namespace}/flags`, { key: pick(flagKeys), name: 'F', type: 'VARIANT_FLAG_TYPE' }],
    ['PUT', at, { name: `F ${number}`, enabled: number % 2 === 0, defaultVariantId: variant?.id }],
    ['DELETE', at],
    ['POST', `${at}/variants`, { key: `v-${number}`, attachment: `{"n":${number}}` }],
    ['PUT', `${at}/variants/${variant?.id}`, { key: `w-${number}`, name: 'V' }],
    ['DELETE', `${at}/variants/${variant?.id}`],
    ['POST', `${at}/rules`, { segmentKey, rank: 1 + below(3) }],
    ['PUT', `${at}/rules/${rule?.id}`, { segmentKeys: [segmentKey, pick(segmentKeys)] }],
    ['PUT', `${at}/rules/order`, { ruleIds: ids(flag?.rules) }],
    ['DELETE', `${at}/rules/${rule?.id}`],
    ['POST', `${at}/rules/${rule?.id}/distributions`, { variantId: variant?.id, rollout: 30 }],
    [
      'DELETE',
      `${at}/rules/${rule?.id}/distributions/${distribution?.id}?variantId=${variant?.id}`,
    ],
    ['POST', `${at}/rollouts`, { ...served, description: `R ${number}` }],
    ['PUT', `${at}/rollouts/order`, { rolloutIds: ids(flag?.rollouts) }],
    ['DELETE', `${at}/rollouts/${rollout?.id}`],
    ['POST', `${namespace}/segments`, { key: pick(segmentKeys), name: 'S' }],
    ['PUT', `${namespace}/segments/${segmentKey}`, { name: `S ${number}` }],
    ['DELETE', `${namespace}/segments/${segmentKey}`],
    [
      'POST',
      `${namespace}/segments/${segmentKey}/constraints`,
      { ...comparison, value: `${number}` },
    ],
    ['DELETE', `${namespace}/segments/${segmentKey}/constraints/${constraint?.id}`],
    ['PUT', namespace, { name: `N ${number}`, color: pick(['', 'red']) }],
    [
      'POST',
      `${namespace}/apply`,
      {
        operations: [
          { kind: 'FLAG_KIND', key: flagKey, flag: { ...drawn, key: '', type: flag?.type } },
          { kind: 'SEGMENT_KIND', key: segmentKey, segment: { name: `A ${number}` } },
        ],
      },
    ],
    [
      'POST',
      `${namespace}/apply`,
      {
        operations: [
          { kind: 'FLAG_KIND', key: flagKey, patch },
          ...flagKeys
            .filter((key) => key !== flagKey && key > 'f-4')
            .map((key) => ({ kind: 'FLAG_KIND', key, delete: true })),
        ],
      },
    ],
    ['PUT', `${namespace}/documents/flags/${flagKey}`, { flag: { ...flag, name: `D ${number}` } }],
  ]
  return pick(choices)
}

t.test(`${writes} random writes, undone newest first, leave what there was`, async (t) => {
  const { api } = await startStack(t)
  const random = createRandom(seed)
  for (const key of segmentKeys) await api('POST', `${namespace}/segments`, { key, name: key })
  const flags = sendableFlags(4, seed)
  const operations = flags.map((flag, n) => ({
    ...{ kind: 'FLAG_KIND', key: flagKeys[n], flag: { ...flag, key: '' } },
  }))
  t.equal((await api('POST', `${namespace}/apply`, { operations })).status, 200)
  const start = textsOf(await read(api))

  const made: string[] = []
  const statuses: Record<number, number> = {}
  while (made.length < writes) {
    const [method, path, body] = nextWrite(random, await read(api))
    const { status, text, headers } = await api(method, path, body)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status >= 500) throw new Error(`${method} ${path}: ${text}`)
    const revision = headers.get('x-svc-revision')?.split(':')[1]
    if (status === 200 && revision !== undefined) made.push(revision)
  }
  t.comment(`${writes} of ${JSON.stringify(statuses)}`)
  t.strictNotSame(textsOf(await read(api)), start)

  for (const revision of made.toReversed()) {
    const { status, text } = await api('POST', `${namespace}/changes/${revision}/undo`, {})
    if (status !== 200) throw new Error(`${revision}: ${text}`)
  }
  t.strictSame(textsOf(await read(api)), start)
})
