import fc from 'fast-check'
import t from 'tap'
import {
  editDraft,
  isEdited,
  isEqual,
  rebaseDraft,
  redoDraft,
  startDraft,
  undoDraft,
} from './draft.ts'

t.test('each edit is a step that can be taken back and done again', async (t) => {
  const start = startDraft({ share: 10 }, '"shop:1"')
  t.notOk(isEdited(start))
  const edited = editDraft(editDraft(start, { share: 20 }), { share: 30 })
  t.ok(isEdited(edited))
  const back = undoDraft(edited)
  t.strictSame(back.present, { share: 20 })
  t.strictSame(undoDraft(undoDraft(back)).present, { share: 10 }, 'and no further')
  t.strictSame(redoDraft(redoDraft(back)).present, { share: 30 })
  t.strictSame(
    redoDraft(editDraft(back, { share: 5 })).present,
    { share: 5 },
    'but not after another',
  )
})

t.test('what goes on with an edit is the same step', async (t) => {
  const typed = editDraft(editDraft(startDraft('', undefined), 'a'), 'ab', true)
  t.equal(undoDraft(typed).present, '')
})

t.test('an edit to what it was is none', async (t) => {
  const start = startDraft({ a: 1, b: [2] }, undefined)
  t.equal(editDraft(start, { b: [2], a: 1 }), start)
  t.notOk(isEdited(editDraft(editDraft(start, { a: 2, b: [2] }), { a: 1, b: [2] })))
})

t.test('a hundred steps are kept', async (t) => {
  let draft = startDraft(0, undefined)
  for (let i = 1; i <= 150; i++) draft = editDraft(draft, i)
  t.equal(draft.past.length, 100)
})

t.test('any edits can be taken back to the base', async () => {
  fc.assert(
    fc.property(fc.json(), fc.array(fc.json(), { maxLength: 20 }), (base, edits) => {
      let draft = startDraft<unknown>(JSON.parse(base), undefined)
      for (const edit of edits) draft = editDraft(draft, JSON.parse(edit))
      const end = draft.present
      for (const _ of edits) draft = undoDraft(draft)
      if (!isEqual(draft.present, JSON.parse(base))) return false
      for (const _ of edits) draft = redoDraft(draft)
      return isEqual(draft.present, end)
    }),
  )
})

t.test('equality is that of JSON', async (t) => {
  t.ok(isEqual({ a: undefined }, {}))
  t.notOk(isEqual([], {}))
  t.notOk(isEqual({ a: 1 }, { b: 1 }))
  t.notOk(isEqual(null, {}))
  t.notOk(isEqual({ length: 0 }, []))
})

t.test('what was saved by itself becomes part of each step', async (t) => {
  const turn = (value: { isOn: boolean; share: number }) => ({ ...value, isOn: true })
  const start = startDraft({ isOn: false, share: 10 }, '"shop:1"')
  const draft = editDraft(editDraft(start, { isOn: false, share: 20 }), { isOn: false, share: 30 })
  const rebased = rebaseDraft(draft, { isOn: true, share: 10 }, '"shop:2"', turn)
  t.strictSame(rebased.base, { isOn: true, share: 10 })
  t.equal(rebased.etag, '"shop:2"')
  t.strictSame(rebased.present, { isOn: true, share: 30 })
  t.strictSame(undoDraft(undoDraft(rebased)).present, { isOn: true, share: 10 })
  t.notOk(isEdited(undoDraft(undoDraft(rebased))))
})

t.test('a draft stays on its base when others have changed something too', async (t) => {
  const draft = editDraft(startDraft({ isOn: false, share: 10 }, '"shop:1"'), {
    isOn: false,
    share: 20,
  })
  const others = { isOn: true, share: 15 }
  t.equal(
    rebaseDraft(draft, others, '"shop:3"', (value) => ({ ...value, isOn: true })),
    draft,
  )
})
