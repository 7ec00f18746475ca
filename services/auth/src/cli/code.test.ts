import { createHash } from 'node:crypto'
import { findSuperlinear } from '@svc/runtime/testing'
import t from 'tap'
import { generateCode, matchesChallenge, readChallenge, readCode } from './code.ts'

t.test('a code has 20 characters of 32, all of them as often as the others', async (t) => {
  const codes = Array.from({ length: 2000 }, generateCode)
  t.ok(codes.every((code) => /^[0-9A-HJKMNP-TV-Z]{20}$/.test(code)))
  t.equal(new Set(codes).size, codes.length)
  const counts = new Map<string, number>()
  for (const one of codes.join('')) counts.set(one, (counts.get(one) ?? 0) + 1)
  t.equal(counts.size, 32)
  // 1,250 each are expected, with a standard deviation of 35.
  for (const [one, count] of counts) t.ok(Math.abs(count - 1250) < 250, `${one}: ${count}`)
})

t.test('a code is read as people type it', async (t) => {
  t.equal(readCode('0123456789ABCDEFGHJK'), '0123456789ABCDEFGHJK')
  t.equal(readCode('01234-56789-abcde-fghjk'), '0123456789ABCDEFGHJK')
  t.equal(readCode(' oI2l4 56789 abcde fghjk '), '0121456789ABCDEFGHJK')
})

t.test('anything else is no code', async (t) => {
  const bad = ['', '0123456789ABCDEFGHJ', '0123456789ABCDEFGHJKM', '0123456789ABCDEFGHJU', '\0']
  for (const text of [...bad, '0123456789ABCDEFGHJ\n', '٠123456789ABCDEFGHJK', 'ß'.repeat(10)]) {
    t.equal(readCode(text), undefined, JSON.stringify(text))
  }
  t.strictSame(findSuperlinear(readCode, ['a', '-', ' ', 'O', 'L', 'ß'], 700), [])
})

t.test('a challenge is a SHA-256 in base64url, in its one spelling', async (t) => {
  // RFC 7636, appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const text = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  const challenge = readChallenge(text)
  t.ok(challenge && matchesChallenge(verifier, challenge))
  const others = ['', text.slice(1), `${text}A`, `${text}=`, text.replace('-', '+')]
  // The last character has two bits that belong to no byte.
  for (const other of [...others, text.replace(/M$/, 'N')]) {
    t.equal(readChallenge(other), undefined, other)
  }
})

t.test('a verifier has 43 to 128 characters', async (t) => {
  const isRight = (verifier: string) =>
    matchesChallenge(verifier, createHash('sha256').update(verifier).digest())
  for (const good of ['a'.repeat(43), 'a'.repeat(128), '-._~'.repeat(11)]) t.ok(isRight(good))
  const bad = ['', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)} `, 'ä'.repeat(43)]
  for (const verifier of bad) t.notOk(isRight(verifier), verifier)
})
