import type { PlannedItem } from '@svc/client/api'
import t from 'tap'
import { countText, type PlannedNamespace, planText } from './plan-text.ts'

const output = { style: (_style: string, text: string) => text }

function item(key: string, action: string, more: Partial<PlannedItem> = {}): PlannedItem {
  return {
    ...{ kind: 'FLAG_KIND', key, action: `${action}_ACTION` as PlannedItem['action'] },
    ...{ changes: [], revision: 1, managedBy: '', isCut: false, ...more },
  }
}

function namespace(items: readonly PlannedItem[], more: Partial<PlannedNamespace> = {}) {
  return { namespaceKey: 'shop', isNew: false, items, unchanged: 0, ...more }
}

t.test('a plan has a line for each object, and for each difference', async (t) => {
  const changes = [
    { path: 'enabled', before: 'false', after: 'true' },
    { path: 'variants[1]', after: `"${'x'.repeat(100)}"` },
    { path: 'rules[0]', before: '{}' },
  ]
  const plans = [
    namespace([
      item('new', 'CREATED'),
      item('checkout', 'UPDATED', { changes }),
      item('handed', 'UPDATED', { managedBy: 'git' }),
      item('large', 'UPDATED', { isCut: true }),
      item('old', 'DELETED', { kind: 'SEGMENT_KIND' }),
    ]),
    namespace([], { namespaceKey: 'same', unchanged: 3 }),
    namespace([], { namespaceKey: 'empty', isNew: true }),
  ]
  t.equal(
    planText(plans, output),
    `shop
  + flag new
  ~ flag checkout
      enabled: false → true
      variants[1]: "${'x'.repeat(58)}…
      rules[0]: {} → nothing
  ~ flag handed
      only who keeps it: git
  ~ flag large
      too much to show
  - segment old
empty (new)`,
  )
  t.equal(countText(plans), '1 new namespace, 1 created, 3 updated, 1 deleted, 3 unchanged')
  t.equal(countText([]), '')
})

t.test('of a large plan, what is created is left out first', async (t) => {
  const items = [item('a', 'CREATED'), item('b', 'DELETED'), item('c', 'CREATED')]
  t.equal(planText([namespace(items)], output, 2), 'shop\n  - flag b\n  + flag a\n  and 1 more')
  t.equal(planText([namespace(items)], output, 3), 'shop\n  + flag a\n  - flag b\n  + flag c')
})
