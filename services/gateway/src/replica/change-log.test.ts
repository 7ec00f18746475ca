import t from 'tap'
import { ChangeLog } from './change-log.ts'

const flag = (revision: number, ...flagKeys: string[]) => ({ revision, flagKeys, segmentKeys: [] })

t.test('a change log', async (t) => {
  await t.test('has each key once, however often it changed', async (t) => {
    const log = new ChangeLog(10)
    log.add(flag(11, 'a', 'b'), 100)
    log.add({ revision: 15, flagKeys: ['a'], segmentKeys: ['s'] }, 100)
    t.strictSame(log.since(10), { flagKeys: new Set(['a', 'b']), segmentKeys: new Set(['s']) })
    t.strictSame(log.since(11), { flagKeys: new Set(['a']), segmentKeys: new Set(['s']) })
    t.strictSame(log.since(15), { flagKeys: new Set(), segmentKeys: new Set() })
  })

  await t.test('has no answer for a time that it does not reach back to', async (t) => {
    const log = new ChangeLog(10)
    t.equal(log.since(9), undefined)
    log.add(flag(11, 'a'), 4)
    log.add(flag(12, 'b'), 4)
    t.strictSame([...(log.since(10)?.flagKeys ?? [])], ['a', 'b'])
    log.add(flag(13, 'c'), 4)
    t.equal(log.since(10), undefined, 'the first change is forgotten')
    t.strictSame([...(log.since(11)?.flagKeys ?? [])], ['b', 'c'])
  })

  await t.test('has no answer for a revision of another history', async (t) => {
    // Of a backup that was restored: the revisions after it are lost, and the next one is far from them.
    const log = new ChangeLog(40)
    log.add(flag(1_000_051, 'new'), 100)
    log.add(flag(1_000_060, 'newer'), 100)
    for (const lost of [41, 50, 1_000_050, 1_000_052, 1_000_061])
      t.equal(log.since(lost), undefined)
    t.strictSame([...(log.since(40)?.flagKeys ?? [])], ['new', 'newer'])
    t.strictSame([...(log.since(1_000_051)?.flagKeys ?? [])], ['newer'])
  })

  await t.test('forgets everything for a change that is larger than all of it', async (t) => {
    const log = new ChangeLog(10)
    log.add(flag(11, 'a'), 4)
    log.add(flag(12, 'b', 'c', 'd', 'e'), 4)
    t.equal(log.since(11), undefined)
    t.strictSame(log.since(12), { flagKeys: new Set(), segmentKeys: new Set() })
  })
})
