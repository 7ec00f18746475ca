import { loadContract } from '@svc/contract'
import { canonicalText, type DocumentOf } from '@svc/documents'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import {
  type ResourceWrite,
  resourceWrites,
  type Sent,
  startWrites,
} from '../support/resource-writes.ts'

interface Item {
  readonly kind: string
  readonly key: string
  readonly before?: string
  readonly after?: string
}

interface Change {
  readonly revision: number
  readonly items: readonly Item[]
}

interface Content {
  readonly settings: DocumentOf['namespace']
  readonly flags: readonly DocumentOf['flag'][]
  readonly segments: readonly DocumentOf['segment'][]
}

const { DeleteNamespace: _, ...others } = resourceWrites

const operations = [
  { kind: 'FLAG_KIND', key: 'f', patch: { description: 'd' } },
  { kind: 'SEGMENT_KIND', key: 'new', segment: { name: 'New' } },
  { kind: 'NAMESPACE_KIND', patch: { color: 'red' } },
]

const draft = {
  part: 1,
  operations: [
    { kind: 'FLAG_KIND', key: 'drafted', flag: { name: 'Drafted' } },
    { kind: 'NAMESPACE_KIND', patch: { color: 'blue' } },
  ],
}

type Write = Pick<ResourceWrite, 'make' | 'request'>

/** What is written down for later changes nothing. */
const drafts: Readonly<Record<string, Write>> = {
  CreateDraft: { request: ['POST', '/drafts', {}] },
  AddOperations: { request: ['POST', '/drafts/$CreateDraft/operations', draft] },
  DeleteDraft: { make: ['POST', '/drafts', {}], request: ['DELETE', '/drafts/$made'] },
}

/** With those that are about several records; the last one deletes all that is left. */
const writes: Readonly<Record<string, Write>> = {
  ...others,
  ...drafts,
  ApplyDrafts: {
    request: [
      'POST',
      '/api/v1/drafts/apply',
      { drafts: [{ namespaceKey: 'n', id: '$CreateDraft' }] },
    ],
  },
  Apply: {
    make: ['POST', '/flags', { key: 'f', name: 'F', type: 'VARIANT_FLAG_TYPE' }],
    request: ['POST', '/apply', { operations }],
  },
  UndoChange: { request: ['POST', '/changes/$last/undo', {}] },
  DeleteNamespace: { request: ['DELETE', '/api/v1/namespaces/n?force=true'] },
}

t.test('every write of the resource service is among them', async (t) => {
  const names = loadContract().operations.flatMap(({ name, access, route, bindings }) => {
    const isWrite = access.action !== 'READ' && route.answeredBy === 'RESOURCE_SERVICE'
    return isWrite && bindings.length > 0 ? [name] : []
  })
  t.strictSame(Object.keys(writes).toSorted(), names.toSorted())
})

t.test('a write makes one change, from the documents before to those after', async (t) => {
  const send = await startWrites(t)
  const get = async <T>(path: string): Promise<T | undefined> => {
    const { status, body } = await send(['GET', path], 'read')
    return status === 200 ? (body as T) : undefined
  }

  /** By kind and key; nothing where there is no namespace. */
  const readTexts = async () => {
    const content = await get<Content>('/document?limit=1000')
    if (content === undefined) return new Map<string, string>()
    const { settings, flags, segments } = content
    return new Map([
      ['NAMESPACE_KIND n', canonicalText('namespace', settings)],
      ...flags.map((one) => [`FLAG_KIND ${one.key}`, canonicalText('flag', one)] as const),
      ...segments.map((one) => [`SEGMENT_KIND ${one.key}`, canonicalText('segment', one)] as const),
    ])
  }
  const changesAfter = async (revision: number) =>
    (await get<{ changes: readonly Change[] }>(`/changes?after=${revision}&documents=true`))
      ?.changes ?? []

  let last = 0
  for (const [name, { make, request }] of Object.entries(writes)) {
    await t.test(name, async (t) => {
      if (make !== undefined) {
        await send(make, 'made')
        last = (await changesAfter(last)).at(-1)?.revision ?? last
      }
      const before = await readTexts()
      const [method, path, body] = request
      const sent: Sent = [method, path.replace('$last', String(last)), body]
      const { status, text } = await send(sent, name)
      t.equal(status, 200, text)
      // It is done in the background.
      if (name === 'ApplyDrafts') await waitFor(async () => (await changesAfter(last)).length > 0)
      const after = await readTexts()
      const changes = await changesAfter(last)
      t.equal(changes.length, name in drafts ? 0 : 1, 'one change')
      last = changes.at(-1)?.revision ?? last

      const differing = [...new Set([...before.keys(), ...after.keys()])]
        .filter((id) => before.get(id) !== after.get(id))
        .map((id) => [id, before.get(id), after.get(id)])
      const logged = (changes[0]?.items ?? []).map((item) => [
        `${item.kind} ${item.key}`,
        item.before,
        item.after,
      ])
      t.strictSame(logged.toSorted(), differing.toSorted())
    })
  }
})
