import t from 'tap'
import { ChainKeys, sha256 } from './chain-keys.ts'

t.test('a MAC is of the text and of the key', async (t) => {
  const [one, other] = [new ChainKeys('one'), new ChainKeys('other')]
  t.not(one.currentId, other.currentId)
  t.notSame(one.mac('text'), other.mac('text'))
  t.notSame(one.mac('text'), one.mac('texts'))
  t.strictSame(one.mac('text'), new ChainKeys('one').mac('text'))
})

t.test('previous keys verify what was made with them', async (t) => {
  const before = new ChainKeys('before')
  const now = new ChainKeys('now', ['before'])
  t.strictSame(now.mac('text', before.currentId), before.mac('text'))
  t.equal(before.mac('text', now.currentId), undefined, 'a key that is not known')
  t.strictSame(now.provingIds, [now.currentId, before.currentId])
  t.strictSame(new ChainKeys(undefined, ['before']).provingIds, ['', before.currentId])
})

t.test('without a key it is the hash of the text', async (t) => {
  const keys = new ChainKeys()
  t.equal(keys.currentId, '')
  t.strictSame(keys.mac('text'), sha256('text'))
})
