import type { VectorDocument } from '@svc/evaluation/testing'
import t from 'tap'
import { readFixture } from '../../support/fixtures.ts'
import { loadDocument } from '../../support/load-document.ts'
import { startStack } from '../../support/stack.ts'
import type { Behaviour, Service } from './behaviour.ts'
import { contexts } from './contexts.ts'
import { evaluation } from './evaluation.ts'
import { hooks } from './hooks.ts'
import { type Kind, kinds } from './kinds.ts'
import { closing, lifecycle } from './lifecycle.ts'

const behaviours: readonly Behaviour[] = [
  ...evaluation,
  ...lifecycle,
  ...hooks,
  ...contexts,
  // It closes all providers of the SDK.
  closing,
]

t.test('the providers, as the specification of OpenFeature has them', async (t) => {
  const { api, urls, createNamespacedToken } = await startStack(t)
  await loadDocument(api, readFixture<VectorDocument>('openfeature'))
  const service: Service = {
    url: urls[0],
    api,
    token: await createNamespacedToken('shop'),
    otherToken: await createNamespacedToken('default'),
  }
  for (const kind of kinds) {
    for (const { requirements, what, test } of ofKind(kind)) {
      await t.test(`${kind.name}: ${what} (${requirements.join(', ')})`, async (t) => {
        await test(t, kind, service)
      })
    }
  }
})

t.test('every requirement has a case for each provider that it is about', async (t) => {
  interface Requirement {
    readonly what: string
    readonly by: readonly Kind['name'][]
  }
  const { cases } = readFixture<{ readonly cases: Readonly<Record<string, Requirement>> }>(
    'openfeature-requirements',
  )
  const shown = new Set(
    kinds.flatMap((kind) =>
      ofKind(kind).flatMap(({ requirements }) => requirements.map((one) => `${one} ${kind.name}`)),
    ),
  )
  const wanted = Object.entries(cases).flatMap(([number, { by }]) =>
    by.map((kind) => `${number} ${kind}`),
  )
  t.strictSame(
    wanted.filter((one) => !shown.has(one)),
    [],
    'without a case',
  )
  t.strictSame(
    [...shown].filter((one) => !wanted.includes(one)),
    [],
    'of no requirement',
  )
})

function ofKind({ name }: Kind): readonly Behaviour[] {
  return behaviours.filter(({ only = name }) => only === name)
}
