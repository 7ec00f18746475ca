import fc from 'fast-check'
import t from 'tap'
import { CreationOrder } from './creation-order.ts'

interface Item {
  readonly createdAt: number
  readonly name: number
}

t.test('the order of creation is that of a stable sort, whatever changes', async () => {
  const createdAt = fc.nat({ max: 8 })
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('add'), createdAt, at: fc.nat() }) },
    fc.record({ kind: fc.constantFrom('delete', 'replace', 'list'), createdAt, at: fc.nat() }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const order = new CreationOrder<Item>()
      let expected: Item[] = []
      const handedOut: [list: readonly Item[], copy: readonly Item[]][] = []
      for (const [name, { kind, createdAt, at }] of steps.entries()) {
        const index = at % Math.max(1, expected.length)
        const item = expected[index]
        if (kind === 'add') {
          const added = { createdAt, name }
          order.add(added)
          expected = [...expected, added].toSorted((a, b) => a.createdAt - b.createdAt)
        } else if (kind === 'list') {
          handedOut.push([order.list(), expected])
        } else if (item !== undefined && kind === 'delete') {
          order.delete(item)
          expected = expected.toSpliced(index, 1)
        } else if (item !== undefined) {
          const by = { createdAt: item.createdAt, name }
          order.replace(item, by)
          expected = expected.with(index, by)
        }
      }
      handedOut.push([order.list(), expected])
      for (const [list, copy] of handedOut) t.strictSame(list, copy, 'a list stays as it was')
    }),
  )
})
