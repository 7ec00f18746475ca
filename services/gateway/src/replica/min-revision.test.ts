import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { refusals } from '../refusals.fixture.ts'
import { readMinRevisions, waitForRevisions } from './min-revision.ts'
import type { Replica } from './replica.ts'
import { change, inStep, openReplica } from './testing.ts'

const wait = async (...args: Parameters<typeof waitForRevisions>) => waitForRevisions(...args)

const read = (value: string) => readMinRevisions({ 'x-svc-min-revision': value })

t.test('the header', async (t) => {
  await t.test('names a namespace and a revision', async (t) => {
    t.strictSame(read('default:7'), [{ namespaceKey: 'default', revision: 7 }])
    t.strictSame(read('a-b_c,D:0'), [{ namespaceKey: 'a-b_c,D', revision: 0 }])
    t.strictSame(read(`${'k'.repeat(255)}:9007199254740991`), [
      { namespaceKey: 'k'.repeat(255), revision: Number.MAX_SAFE_INTEGER },
    ])
  })

  await t.test('names several, as HTTP joins headers', async (t) => {
    const both = [
      { namespaceKey: 'a', revision: 1 },
      { namespaceKey: 'b', revision: 2 },
    ]
    t.strictSame(read('a:1, b:2'), both)
    t.strictSame(read('a:1,\tb:2'), both)
    t.equal(read(Array(16).fill('a:1').join(', ')).length, 16)
  })

  await t.test('may be left out', async (t) => {
    t.strictSame(readMinRevisions({}), [])
  })

  const long = [`${'k'.repeat(256)}:1`, Array(17).fill('a:1').join(', ')]
  for (const value of [...refusals.minRevisions, ...long]) {
    await t.test(`is refused as ${JSON.stringify(value.slice(0, 40))}`, async (t) => {
      t.throws(() => read(value), { code: 'invalid_argument', message: /X-Svc-Min-Revision/ })
    })
  }
})

t.test('a read', async (t) => {
  const { replica, resource } = await openReplica(t)
  resource.send(change('default', [0, 5]), change('other', [0, 3]), ...inStep())
  await waitFor(() => replica.isCurrent)

  await t.test('is held until all that it asks for is here', async (t) => {
    let isOver = false
    const holding = wait(replica, read('default:6, other:4')).then(() => {
      isOver = true
    })
    resource.send(change('default', [5, 6]))
    await waitFor(() => replica.revisionOf('default') === 6)
    await sleep(20)
    t.notOk(isOver)
    resource.send(change('other', [3, 4]))
    await holding
  })

  await t.test('is not held for what is here, nor for nothing', async (t) => {
    await t.resolves(wait(replica, read('default:6, other:1')))
    await t.resolves(wait(replica, []))
  })

  await t.test('is refused after half a second', async (t) => {
    const waits: unknown[] = []
    const behind = {
      revisionOf: () => 0,
      waitFor: async (...wait: unknown[]) => waits.push(wait) === 1,
    }
    await t.rejects(wait(behind as unknown as Replica, read('other:1, default:7')), {
      code: 'unavailable',
      message: 'revision 7 of namespace "default" is not here yet, try again',
    })
    t.strictSame(waits, [
      ['other', 1, 500],
      ['default', 7, 500],
    ])
  })
})
