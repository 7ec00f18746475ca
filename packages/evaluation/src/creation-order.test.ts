import fc from 'fast-check'
import t from 'tap'
import { CreationOrder } from './creation-order.ts'

interface Item {
  readonly createdAt: number
  readonly key: string
  readonly name: number
}

t.test('the order is by time and key, whatever changes', async () => {
  const [createdAt, at] = [fc.nat({ max: 8 }), fc.nat()]
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('add'), createdAt, at }) },
    fc.record({ kind: fc.constantFrom('delete', 'replace', 'list'), createdAt, at }),
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
          const added = { createdAt, key: `${at} ${name}`, name }
          order.add(added)
          expected = [...expected, added].toSorted(
            (a, b) => a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1),
          )
        } else if (kind === 'list') {
          handedOut.push([order.list(), expected])
        } else if (item !== undefined && kind === 'delete') {
          order.delete(item)
          expected = expected.toSpliced(index, 1)
        } else if (item !== undefined) {
          const by = { ...item, name }
          order.replace(item, by)
          expected = expected.with(index, by)
        }
      }
      handedOut.push([order.list(), expected])
      for (const [list, copy] of handedOut) t.strictSame(list, copy, 'a list stays as it was')
    }),
  )
})
