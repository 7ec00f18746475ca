import { sign } from 'node:crypto'
import { type Signature, toBytes, toNumber } from './signatures.rsa.test.support.ts'
import { createSigner, type Signer, signWith } from './signing.test.support.ts'

/** The prime and the order of each curve (FIPS 186-4 appendix D.1.2). */
const curves = {
  ES256: {
    length: 32,
    prime: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  ES384: {
    length: 48,
    prime: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    order: BigInt(`0x${'f'.repeat(48)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`),
  },
  ES512: {
    length: 66,
    prime: 2n ** 521n - 1n,
    order: BigInt(
      `0x1${'f'.repeat(64)}fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409`,
    ),
  },
} as const

type Curve = (typeof curves)[keyof typeof curves]

function curveOf({ algorithm }: Signer): Curve {
  if (algorithm === 'ES256' || algorithm === 'ES384' || algorithm === 'ES512') {
    return curves[algorithm]
  }
  throw new Error(`${algorithm} has no such curve`)
}

/** Signatures of ECDSA with numbers that stand out, or in another form. */
export function badEcdsaSignatures(signer: Signer, input: string): readonly Signature[] {
  const { length, prime, order } = curveOf(signer)
  const good = signer.sign(input)
  const [r, s] = [toNumber(good.subarray(0, length)), toNumber(good.subarray(length))]
  const odd: Readonly<Record<string, bigint>> = {
    zero: 0n,
    one: 1n,
    'the order': order,
    'the order less one': order - 1n,
    'the order and one': order + 1n,
    'the prime': prime,
    'the largest number': 2n ** BigInt(length * 8) - 1n,
  }
  const pair = (first: bigint, second: bigint) =>
    Buffer.concat([toBytes(first, length), toBytes(second, length)])
  const hash = `sha${signer.algorithm.slice(2)}`
  const der = sign(hash, Buffer.from(input), { key: signer.privateKey, dsaEncoding: 'der' })
  const otherHash = hash === 'sha256' ? 'sha512' : 'sha256'
  const sum = (number: bigint) => number + order
  return [
    ...Object.entries(odd).flatMap(([name, number]) => [
      ...Object.entries(odd).map(
        ([other, second]): Signature => [`${name} and ${other}`, pair(number, second)],
      ),
      [`a good first number and ${name}`, pair(r, number)] as const,
      [`${name} and a good second number`, pair(number, s)] as const,
    ]),
    ['its numbers exchanged', pair(s, r)],
    ['the first number twice', pair(r, r)],
    ['the second number twice', pair(s, s)],
    [
      'the first number and the order',
      Buffer.concat([toBytes(sum(r), length + 1), toBytes(s, length + 1)]),
    ],
    [
      'the second number and the order',
      Buffer.concat([toBytes(r, length + 1), toBytes(sum(s), length + 1)]),
    ],
    ['in DER', der],
    ['in DER, with zeros up to its length', Buffer.concat([der, Buffer.alloc(2)])],
    [
      'with more zeros before the numbers',
      Buffer.concat([toBytes(r, length + 2), toBytes(s, length + 2)]),
    ],
    ['the first number alone', toBytes(r, length)],
    [
      'with another digest',
      sign(otherHash, Buffer.from(input), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' }),
    ],
    ['of another key', createSigner(signer.algorithm).sign(input)],
  ]
}

/** ECDSA has two signatures for each: whoever sees one can make the other, and both are good. */
export function otherEcdsaSignature(signer: Signer, good: Buffer): Buffer {
  const { length, order } = curveOf(signer)
  const s = toNumber(good.subarray(length))
  return Buffer.concat([good.subarray(0, length), toBytes(order - s, length)])
}

/** The order of the group of Ed25519 (RFC 8032 section 5.1). */
const edwardsOrder = 2n ** 252n + 27742317777372353535851937790883648493n

/** Signatures of Ed25519 with other numbers, and with points of small order. */
export function badEdwardsSignatures(signer: Signer, input: string): readonly Signature[] {
  const good = signer.sign(input)
  const [point, number] = [good.subarray(0, 32), good.subarray(32)]
  const little = (value: bigint) => toBytes(value, 32).reverse()
  const s = toNumber(Buffer.from(number).reverse())
  const smallPoints: Readonly<Record<string, bigint>> = {
    'the neutral point': 1n,
    'the neutral point, not reduced': 2n ** 255n - 18n,
    'the point of order two': 2n ** 255n - 20n,
    'a point of order four': 0n,
    'a point of order four, of the other sign': 2n ** 255n,
    'no point': 2n,
  }
  const flipped = Buffer.from(point)
  flipped[31] = (flipped[31] ?? 0) ^ 0x80
  return [
    ...Object.entries(smallPoints).flatMap(([name, value]): Signature[] => [
      [`${name} and zero`, Buffer.concat([little(value), little(0n)])],
      [`${name} and one`, Buffer.concat([little(value), little(1n)])],
      [`${name} and a good number`, Buffer.concat([little(value), number])],
    ]),
    ['a good point and zero', Buffer.concat([point, little(0n)])],
    ['a good point and the order', Buffer.concat([point, little(edwardsOrder)])],
    ...[1n, 2n, 4n, 8n].map(
      (times): Signature => [
        `a good number and the order, ${times} times`,
        Buffer.concat([point, little(s + times * edwardsOrder)]),
      ],
    ),
    ['the negative of its number', Buffer.concat([point, little(edwardsOrder - s)])],
    ['the point of the other sign', Buffer.concat([flipped, number])],
    ['point and number exchanged', Buffer.concat([number, point])],
    ['the point alone', point],
    ['of another key', createSigner('EdDSA').sign(input)],
    ['of the digest', signWith('EdDSA', signer.privateKey, Buffer.from(input).toString('hex'))],
  ]
}
