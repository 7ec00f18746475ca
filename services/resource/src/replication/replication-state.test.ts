import t from 'tap'
import type { NamespaceDelta } from './changes-since.store.ts'
import { maxDeletions, ReplicationState } from './replication-state.ts'

const state = Buffer.from('state')

/** A change from one revision to another that touches flags and deletes others. */
function change(
  [fromRevision, revision]: readonly [number, number],
  keys: readonly string[],
  more: Partial<NamespaceDelta> & { readonly deletedKeys?: readonly string[] } = {},
): NamespaceDelta {
  const { deletedKeys = [], ...others } = more
  return {
    namespaceKey: 'n',
    deleted: false,
    fromRevision,
    revision,
    createdRevision: 1,
    compactedRevision: 0,
    changedAtMs: null,
    flags: keys.map((key) => ({ key, revision, state })),
    segments: [],
    tombstones: deletedKeys.map((key) => ({ kind: 'flag', key, revision })),
    ...others,
  }
}

/** What a holder of a revision is sent: from where to where, how many flags, and what was deleted. */
function sent(state: ReplicationState, held?: number) {
  return [...state.changesSince('n', held)].map((message) => [
    [message.fromRevision, message.revision],
    message.flags.length,
    message.deletedFlagKeys,
  ])
}

t.test('a watcher is sent what it lacks', async (t) => {
  const state = new ReplicationState()
  state.apply(change([0, 10], ['a', 'b', 'c']))
  state.apply(change([10, 11], ['a']))
  state.apply(change([11, 12], ['d'], { deletedKeys: ['b'] }))

  await t.test('the last change, if that is all', async (t) => {
    t.strictSame(sent(state, 11), [[[11, 12], 1, ['b']]])
  })
  await t.test('all that came later, if it is more', async (t) => {
    t.strictSame(sent(state, 10), [[[10, 12], 2, ['b']]])
  })
  await t.test('nothing, if it has everything', async (t) => {
    t.strictSame(sent(state, 12), [])
  })
  await t.test('the whole, if it has nothing, or something of another life or time', async (t) => {
    state.apply(change([12, 13], [], { createdRevision: 9 }))
    for (const held of [undefined, 8, 14]) t.strictSame(sent(state, held), [[[0, 13], 3, []]])
  })
  await t.test('the whole, if deletions may have been forgotten', async (t) => {
    t.strictSame(sent(state, 10), [[[10, 13], 2, ['b']]])
    state.compact('n', 11)
    t.strictSame(sent(state, 10), [[[0, 13], 3, []]])
    t.strictSame(sent(state, 11), [[[11, 13], 1, ['b']]])
  })
})

t.test('what is deleted and made anew is not said to be deleted', async (t) => {
  const state = new ReplicationState()
  state.apply(change([0, 10], ['a']))
  state.apply(change([10, 11], [], { deletedKeys: ['a'] }))
  state.apply(change([11, 12], ['a']))
  t.strictSame(sent(state, 10), [[[10, 12], 1, []]])
})

t.test('what a slow watcher is being sent does not change on the way', async (t) => {
  const state = new ReplicationState()
  const large = Buffer.alloc(3 * 2 ** 20)
  const flags = ['a', 'b', 'c'].map((key) => ({ key, revision: 10, state: large }))
  state.apply(change([0, 10], [], { flags }))
  const messages = state.changesSince('n', undefined)[Symbol.iterator]()
  t.match(messages.next().value, { flags: [large], more: true })
  state.apply(change([10, 11], [], { deletedKeys: ['b', 'c'] }))
  t.match(messages.next().value, { revision: 10, flags: [large], more: true })
  t.match(messages.next().value, { revision: 10, flags: [large], more: false })
  t.equal(messages.next().done, true)
})

t.test('of namespaces that are gone the last ones are remembered', async (t) => {
  const state = new ReplicationState()
  t.equal(state.revisionOf('n'), 0)
  state.apply(change([0, 10], ['a']))
  state.apply({ namespaceKey: 'n', deleted: true, revision: 11 })
  t.equal(state.revisionOf('n'), 11)
  t.match([...state.changesSince('n', 10)], [{ deleted: true, fromRevision: 10, revision: 11 }])
  t.strictSame(sent(state), [])
  for (let i = 0; i < maxDeletions; i += 1) state.noteDeletion(`gone-${i}`, 12 + i)
  t.equal(state.revisionOf('n'), 0)
  t.equal(state.revisionOf('gone-0'), 12)
  t.match([...state.changesSince('n', 10)], [{ deleted: true, fromRevision: 10, revision: 10 }])
})
