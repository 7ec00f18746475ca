import type { Change } from '@svc/client/api'
import t from 'tap'
import { attemptOf, forgetAttempt, noteAttempt } from './attempts.ts'
import { mergeDocuments } from './merge.ts'
import { standingOf } from './settle.ts'
import { booleanFlag, threshold } from './testing.ts'

const id = { namespaceKey: 'shop', kind: 'flag', key: 'checkout' } as const
const base = booleanFlag({ metadata: { id: 7 }, rollouts: [threshold(25, true, '1')] })
const present = { ...base, rollouts: [threshold(50, true, '1'), threshold(60, false, 'local')] }
const draft = { base, present, etag: '"shop:40"' }

const change = (revision: number, after: typeof base): Change => ({
  ...{ revision, at: '2026-11-25T12:00:00Z', source: 'api', comment: '', requestId: '' },
  actor: { id: 'a', method: 'METHOD_TOKEN', name: 'tom', address: '' },
  ...{ previousHash: '', hash: '', keyId: '', nextPageToken: '', itemCount: 1 },
  items: [
    {
      ...{ kind: 'FLAG_KIND', key: 'checkout', action: 'UPDATED_ACTION', changes: [] },
      after: JSON.stringify(after),
    },
  ],
})
/** It is sent, and no answer comes. */
const send = (document = present) => noteAttempt(id, document, draft.etag)

t.beforeEach(() => forgetAttempt(id))

/** As the service has it after the save: what is new has an id of its own. */
const saved = { ...present, rollouts: [threshold(50, true, '1'), threshold(60, false, 'service')] }

t.test('with the same tag it was not saved', async (t) => {
  const stored = { document: base, etag: '"shop:40"', revision: 40, changes: [] }
  t.strictSame(standingOf(id, draft, stored), { kind: 'current' })
})

t.test('a save whose answer was lost is known by what it made', async (t) => {
  send()
  const stored = { document: saved, etag: '"shop:41"', revision: 41, changes: [] }
  t.strictSame(standingOf(id, draft, stored), { kind: 'saved', revision: 41 })
})

t.test('also where others went on from it', async (t) => {
  send()
  const changes = [change(41, saved), change(42, { ...saved, name: 'Other' })]
  const stored = { document: { ...saved, name: 'Other' }, etag: '"shop:42"', revision: 42, changes }
  t.strictSame(standingOf(id, draft, stored), { kind: 'saved', revision: 41 })
})

t.test('what was never sent was not saved, though others made the same and went on', async (t) => {
  const lower = { ...base, rollouts: [threshold(5, true, '1')] }
  const stored = {
    ...{ document: lower, etag: '"shop:42"', revision: 42 },
    changes: [change(41, saved), change(42, lower)],
  }
  const conflict = { kind: 'conflict', base, mine: present }
  t.strictSame(standingOf(id, draft, stored), conflict)
  send()()
  t.strictSame(standingOf(id, draft, stored), conflict, 'nor what was refused')
  noteAttempt(id, present, '"shop:39"')
  t.strictSame(standingOf(id, draft, stored), conflict, 'nor by a draft of an earlier version')
  send({ ...present, name: 'Other' })
  t.strictSame(standingOf(id, draft, stored), conflict, 'nor when something else was sent')
})

t.test('a save can only be the first change after what it was made from', async (t) => {
  send()
  const first = { ...base, name: 'Other' }
  const stored = {
    ...{ document: first, etag: '"shop:43"', revision: 43 },
    changes: [change(41, first), change(42, saved), change(43, first)],
  }
  t.equal(standingOf(id, draft, stored).kind, 'conflict')
})

t.test('what others made the same is there already', async (t) => {
  const stored = { document: saved, etag: '"shop:41"', revision: 41, changes: [change(41, saved)] }
  t.strictSame(standingOf(id, draft, stored), { kind: 'same' })
})

t.test('a refused save leaves the one before it, whose answer was lost', async (t) => {
  send()
  send({ ...present, name: 'Further' })()
  t.equal(attemptOf(id, draft.etag), present)
})

t.test('what others made is a conflict', async (t) => {
  const theirs = { ...base, name: 'Other' }
  const stored = {
    document: theirs,
    etag: '"shop:41"',
    revision: 41,
    changes: [change(41, theirs)],
  }
  t.strictSame(standingOf(id, draft, stored), { kind: 'conflict', base, mine: present })
})

t.test('a member of metadata may be called id', async (t) => {
  const document = { ...saved, metadata: { id: 8 } }
  const stored = { document, etag: '"shop:41"', revision: 41, changes: [] }
  t.equal(standingOf(id, draft, stored).kind, 'conflict')
})

t.test('a draft that went on after a lost answer is merged on what that save made', async (t) => {
  send()
  const further = { ...draft, present: { ...present, name: 'Further' } }
  const stored = { document: saved, etag: '"shop:41"', revision: 41, changes: [change(41, saved)] }
  const standing = standingOf(id, further, stored)
  if (standing.kind !== 'conflict') throw new Error(standing.kind)
  const merge = mergeDocuments('flag', standing.base, standing.mine, saved)
  t.strictSame(merge.collisions, [])
  t.strictSame(merge.resolve(), { ...saved, name: 'Further' }, 'and no rollout twice')
})

t.test('one that is gone was deleted', async (t) => {
  const stored = { document: undefined, etag: undefined, revision: undefined, changes: [] }
  t.strictSame(standingOf(id, draft, stored), { kind: 'deleted' })
})
