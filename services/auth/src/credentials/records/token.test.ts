import fc from 'fast-check'
import t from 'tap'
import { generateToken, hashToken, isPlausible } from './token.ts'

const shape = /^svc_[A-Za-z0-9_-]{43}_[0-9A-Za-z]{6}$/

t.test('ten thousand tokens are well-formed, plausible and all different', async (t) => {
  const tokens = Array.from({ length: 10_000 }, generateToken)
  t.equal(new Set(tokens).size, tokens.length)
  t.ok(tokens.every((token) => shape.test(token) && isPlausible(token)))
})

t.test('the checksum is the CRC-32 of what stands before it, in base62', async (t) => {
  t.ok(isPlausible(`svc_${'A'.repeat(43)}_1q8T0i`))
  t.ok(isPlausible(`svc_${'A'.repeat(40)}161_003UdB`), 'with leading zeros')
})

t.test('a token with one character changed is detected without a lookup', async (t) => {
  const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i))
  let tried = 0
  let passed = 0
  for (const token of Array.from({ length: 20 }, generateToken)) {
    for (let place = 'svc_'.length; place < token.length; place += 1) {
      for (const other of visible.filter((character) => character !== token[place])) {
        tried += 1
        if (isPlausible(token.slice(0, place) + other + token.slice(place + 1))) passed += 1
      }
    }
  }
  // CRC-32 finds every error within 32 bits.
  t.equal(passed, 0, `of ${tried}`)
})

t.test('so are two characters swapped', async (t) => {
  const swapped = Array.from({ length: 5000 }, () => {
    const token = generateToken()
    const place = 4 + Math.floor(Math.random() * 42)
    const pair = token.slice(place, place + 2)
    return [token, token.slice(0, place) + [...pair].reverse().join('') + token.slice(place + 2)]
  }).filter(([token, other]) => token !== other)
  t.ok(swapped.every(([, other]) => other !== undefined && !isPlausible(other)))
})

t.test('any other visible ASCII up to 4096 characters is worth a lookup', async (t) => {
  const chosen = fc
    .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)) })
    .filter((token) => token.length > 0 && !token.startsWith('svc_'))
  fc.assert(fc.property(chosen, isPlausible), { numRuns: 1000 })
  t.ok(isPlausible('x'.repeat(4096)))
  t.ok(isPlausible('svc_chosen-by-the-operator'))
})

t.test('what no credential consists of is not', async (t) => {
  const bad = ['', 'x'.repeat(4097), 'a b', 'a\n', '\u0000', 'é', 'a\u007f', '🙂', 'a\u2028']
  t.strictSame(
    bad.filter((token) => isPlausible(token)),
    [],
  )
})

t.test('hashToken is SHA-256 over the UTF-8 bytes', async (t) => {
  t.equal(hashToken('s3cr3t'), 'TnOMpVY8Bs_QAYKZkz1Y2x3Yv5f2lz3Jm_bNxktVUL0')
})
