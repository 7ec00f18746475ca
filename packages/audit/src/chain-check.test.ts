import t from 'tap'
import { ChainCheck, type ChainPlace, type ChainRow } from './chain-check.ts'
import { ChainKeys, chainStart } from './chain-keys.ts'

const start: ChainPlace = { position: 0, keyId: '', hash: chainStart }
const [unkeyed, older, newer] = [
  new ChainKeys(),
  new ChainKeys('older'),
  new ChainKeys('newer', ['older']),
]

/** Rows 10, 20, …: each made with the keys at its place. */
function chainOf(...keys: readonly ChainKeys[]): ChainRow[] {
  const rows: ChainRow[] = []
  for (const [index, one] of keys.entries()) {
    rows.push(rowOf(one, (index + 1) * 10, rows.at(-1)?.hash ?? chainStart))
  }
  return rows
}

function rowOf(keys: ChainKeys, position: number, previousHash: Buffer): ChainRow {
  const keyId = keys.currentId
  const text = [keyId, previousHash.toString('hex'), position].join('\n')
  return { position, previousHash, keyId, text, hash: keys.mac(text) ?? chainStart }
}

function check(rows: readonly ChainRow[], keys = newer, from = start) {
  const one = new ChainCheck({ keys, start: from, noun: 'row' })
  for (const row of rows) if (!one.add(row)) break
  const { checked, brokenAt, fault, unproven } = one
  return { checked, brokenAt, fault, unproven }
}

const whole = chainOf(older, older, newer, newer)
const [first, second, third, fourth] = whole as [ChainRow, ChainRow, ChainRow, ChainRow]

t.test('a chain that is whole is proven, from its start and from each of its rows', async (t) => {
  const proven = { brokenAt: undefined, fault: undefined, unproven: [] }
  t.strictSame(check(whole), { checked: 4, ...proven })
  t.strictSame(check(whole.slice(2), newer, second), { checked: 2, ...proven })
  t.strictSame(check([]), { checked: 0, ...proven })
  t.strictSame(check(chainOf(unkeyed, unkeyed), unkeyed), { checked: 2, ...proven })
})

t.test('the first row that does not fit is the break', async (t) => {
  const edited = { ...second, text: `${second.text} ` }
  const forged = rowOf(new ChainKeys('guessed'), 20, first.hash)
  const cases: readonly [string, readonly ChainRow[], number, string][] = [
    ['edited', [first, edited, third], 20, 'row 20 is not as it was written'],
    [
      'another hash',
      [first, { ...second, hash: third.hash }, third],
      20,
      'row 20 is not as it was written',
    ],
    [
      'with the id of a known key',
      [first, { ...forged, keyId: newer.currentId }],
      20,
      'row 20 is not as it was written',
    ],
    ['deleted', [first, third, fourth], 30, 'row 30 does not follow row 10'],
    ['deleted at the start', [second, third], 20, 'row 20 does not follow the start of the log'],
    ['added', [first, rowOf(unkeyed, 15, first.hash), second], 20, 'row 20 does not follow row 15'],
  ]
  for (const [what, rows, brokenAt, fault] of cases) {
    t.match(check(rows), { brokenAt, fault }, what)
  }
})

t.test('a break that the caller has found counts unless there was one before', async (t) => {
  const one = new ChainCheck({ keys: newer, start, noun: 'row' })
  one.add(first)
  t.equal(one.break(15, 'row 15 has a part too many'), false)
  one.break(17, 'another')
  t.equal(one.add(second), false, 'nothing is checked after it')
  t.match(one, {
    brokenAt: 15,
    fault: 'row 15 has a part too many',
    checked: 1,
    last: { position: 10 },
  })
})

t.test('an unknown key is no break, and not proven', async (t) => {
  const keyId = older.currentId
  t.strictSame(check(whole, new ChainKeys('newer')), {
    checked: 4,
    brokenAt: undefined,
    fault: `unknown key ${keyId}`,
    unproven: [{ keyId, first: 10, last: 20, count: 2 }],
  })
  const gone = [first, third, fourth]
  t.match(
    check(gone, new ChainKeys('newer')),
    { brokenAt: 30 },
    'its place is checked all the same',
  )
})

t.test('rows without a key are not proven once there is one', async (t) => {
  t.strictSame(check(chainOf(unkeyed, unkeyed, newer)), {
    checked: 3,
    brokenAt: undefined,
    fault: undefined,
    unproven: [{ keyId: '', first: 10, last: 20, count: 2 }],
  })
  const later = chainOf(newer, unkeyed, unkeyed, newer)
  t.match(check(later), {
    brokenAt: undefined,
    fault: 'row 20 was logged without a key, after one with a key',
    unproven: [{ keyId: '', first: 20, last: 30, count: 2 }],
  })
})

t.test('the start is proven when the rows before it are gone', async (t) => {
  const text = 'rows up to 20 were deleted'
  const begin = (from: ChainPlace, mac: Buffer | undefined, keys = newer) => {
    const proof = { text, mac: mac ?? chainStart }
    const one = new ChainCheck({ keys, start: from, proof, noun: 'row' })
    one.add(third)
    return one
  }
  t.match(begin(second, older.mac(text)), { fault: undefined, checked: 1 })
  t.match(begin(second, newer.mac(text)), {
    brokenAt: 20,
    fault: 'the start of the log, row 20, is not as it was written',
    checked: 0,
  })
  t.match(begin(second, older.mac(text), new ChainKeys('newer')), {
    brokenAt: undefined,
    fault: `unknown key ${older.currentId}`,
  })
  const forged = begin({ ...second, keyId: '' }, unkeyed.mac(text))
  t.match(forged, {
    brokenAt: undefined,
    fault: 'the start of the log, row 20, was written without a key',
  })
})

t.test('rows come in their order', async (t) => {
  const one = new ChainCheck({ keys: newer, start: second, noun: 'row' })
  t.throws(() => one.add(first), /not in the order/)
})
