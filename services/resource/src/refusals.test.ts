import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { readEverything } from './testing/copy.ts'
import { openResources, type Resources } from './testing/resources.ts'

type Method = (request: object) => Promise<unknown>

const file = new URL('../../../test/fixtures/management-refusals.yml', import.meta.url)
/** The file says what is in it. */
const {
  refused,
  notDeleted,
}: {
  refused: Record<string, Record<string, [request: object, message: string][]>>
  notDeleted: Record<string, object[]>
} = parse(readFileSync(file, 'utf8'))

const texts: Record<string, string> = {
  half: '\ud800',
  empty: 'must not be empty',
  key: 'contains invalid characters: allowed are letters, digits, "-", "_" and ","',
  long: 'must be at most 255 characters',
  nul: 'must not contain U+0000',
  range: 'must be within range [0, 100]',
  sorts: 'must be key, -key, name, -name, createdAt, -createdAt, updatedAt or -updatedAt',
  all: 'must contain all ids of the flag, each of them once',
}

/** Makes what the file speaks of. @returns the ids by the names that it uses */
async function openRecords(resources: Resources): Promise<Record<string, string>> {
  const { createFlag, createSegment, createVariant, createRule, createRollout } = resources
  await resources.createNamespace({ key: 'other', name: 'Other' })
  for (const key of ['f', 'g', 'full']) await createFlag({ key, name: key })
  for (const key of ['s', 'r']) await createSegment({ key, name: key })
  await createFlag({ namespaceKey: 'other', key: 'f', name: 'F' })
  await createSegment({ namespaceKey: 'other', key: 's', name: 'S' })
  const isTrue = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const
  const made = {
    variant: await createVariant({ flagKey: 'f', key: 'v' }),
    taken: await createVariant({ flagKey: 'f', key: 'taken' }),
    foreignVariant: await createVariant({ flagKey: 'g', key: 'v' }),
    rule: await createRule({ flagKey: 'f', segmentKey: 's' }),
    rule2: await createRule({ flagKey: 'f', segmentKey: 's' }),
    rule3: await createRule({ flagKey: 'f', segmentKey: 's' }),
    foreignRule: await createRule({ flagKey: 'g', segmentKey: 's' }),
    own: await createRule({ namespaceKey: 'other', flagKey: 'f', segmentKey: 's' }),
    rollout: await createRollout({ flagKey: 'f', threshold: {} }),
    rollout2: await createRollout({ flagKey: 'f', threshold: {} }),
    rollout3: await createRollout({ flagKey: 'f', segment: { segmentKey: 's' } }),
    foreignRollout: await createRollout({ flagKey: 'g', threshold: {} }),
    constraint: await resources.createConstraint({ segmentKey: 's', ...isTrue }),
  }
  const last = { rank: 2 ** 31 - 1, segment: { segmentKey: 's' } }
  await createRollout({ flagKey: 'full', ...last })
  const [ruleId, variantId] = [made.rule.id, made.variant.id]
  const share = { flagKey: 'f', ruleId, variantId, rollout: 50 }
  const { id: distribution } = await resources.createDistribution(share)
  const ids = Object.entries(made).map(([name, { id }]) => [name, id])
  return { ...Object.fromEntries(ids), distribution }
}

t.test('the management API', async (t) => {
  const resources = await openResources(t)
  const methods = resources as unknown as Record<string, Method>
  const ids = await openRecords(resources)
  const withTexts = (text: string) =>
    text.replace(/\{(\w+)\}/g, (all, name) => ids[name] ?? texts[name] ?? all)
  /** A value of a request with ids for their names, and as long as it says. */
  const expand = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const [, character = '', length] = /^(.)\*(\d+)$/u.exec(value) ?? []
      return length === undefined ? withTexts(value) : character.repeat(Number(length))
    }
    if (Array.isArray(value)) return value.map(expand)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]))
  }
  const everything = await readEverything(resources)
  const call = (method: string, request: object) =>
    methods[method]?.(expand(request) as object) ?? Promise.reject(new Error(method))

  for (const [code, byMethod] of Object.entries(refused)) {
    for (const [method, cases] of Object.entries(byMethod)) {
      await t.test(`${method} refuses what is ${code}`, async (t) => {
        for (const [request, message] of cases) {
          const error = { code, message: withTexts(message) }
          await t.rejects(call(method, request), error, JSON.stringify(request).slice(0, 100))
        }
      })
    }
  }
  for (const [method, requests] of Object.entries(notDeleted)) {
    await t.test(`${method} is no error when there is none`, async (t) => {
      for (const request of requests) t.strictSame(await call(method, request), {})
    })
  }
  await t.test('has changed nothing by that, nor moved a revision', async (t) => {
    t.strictSame(await readEverything(resources), everything)
  })
})
