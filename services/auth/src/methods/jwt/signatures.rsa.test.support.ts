import { constants, createHash, privateEncrypt } from 'node:crypto'
import { createSigner, generateKeys, type Signer, signWith } from './signing.test.support.ts'

/** A signature by what is special about it. */
export type Signature = readonly [name: string, bytes: Buffer]

/** The ASN.1 of each digest, up to its value (RFC 8017 section 9.2, note 1). */
const digestPrefixes: Readonly<Record<string, string>> = {
  sha1: '3021300906052b0e03021a05000414',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
}

const digest = (hash: string, input: string | Buffer) => createHash(hash).update(input).digest()
const bytes = (hex: string) => Buffer.from(hex, 'hex')

/** What becomes of a block of as many bytes as the key has when it is signed as it is. */
function raise({ privateKey }: Signer, block: Buffer): Buffer {
  return privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, block)
}

const size = 256

/** One pair for all of them: to make one takes long. */
export const rsaKeys = generateKeys('RS256')
const othersKeys = generateKeys('RS256')

function pad(content: Buffer, start = '0001', filler = 0xff, separator = '00'): Buffer {
  const length = size - content.length - (start.length + separator.length) / 2
  return Buffer.concat([bytes(start), Buffer.alloc(length, filler), bytes(separator), content])
}

/** What {@link badPkcs1Signatures} puts together is right when nothing is changed. */
export function goodPkcs1Signature(signer: Signer, input: string): Buffer {
  const hash = `sha${signer.algorithm.slice(2)}`
  const prefix = bytes(digestPrefixes[hash] ?? '')
  return raise(signer, pad(Buffer.concat([prefix, digest(hash, input)])))
}

/** Signatures of PKCS #1 v1.5 whose padding or digest is put together in another way. */
export function badPkcs1Signatures(signer: Signer, input: string): readonly Signature[] {
  const hash = `sha${signer.algorithm.slice(2)}`
  const value = digest(hash, input)
  const prefix = bytes(digestPrefixes[hash] ?? '')
  const info = Buffer.concat([prefix, value])
  const oid = prefix.subarray(6, 17)
  const infoWith = (parameters: Buffer, rest = Buffer.concat([prefix.subarray(-2), value])) => {
    const algorithm = Buffer.concat([bytes('30'), Buffer.from([oid.length + parameters.length])])
    const content = Buffer.concat([algorithm, oid, parameters, rest])
    return Buffer.concat([bytes('30'), Buffer.from([content.length]), content])
  }
  const short = (content: Buffer, count: number, garbage: number) => {
    const used = Buffer.concat([bytes('0001'), Buffer.alloc(count, 0xff), bytes('00'), content])
    return Buffer.concat([used, Buffer.alloc(size - used.length, garbage)])
  }
  const padded = pad(info)
  const changed = (at: number, byte: number) => {
    const block = Buffer.from(padded)
    block[at] = byte
    return block
  }
  const infoOf = (name: string) => bytes(digestPrefixes[name] ?? '')
  const blocks: Readonly<Record<string, Buffer>> = {
    'no parameters of the digest': pad(infoWith(Buffer.alloc(0))),
    'parameters in the long form': pad(infoWith(bytes('058100'))),
    'other parameters': pad(infoWith(bytes('0400'))),
    'parameters twice': pad(infoWith(bytes('05000500'))),
    'parameters with something in them': pad(infoWith(bytes('050100'))),
    'its length in the long form': pad(Buffer.concat([bytes('3081'), info.subarray(1)])),
    'its length in a longer form': pad(Buffer.concat([bytes('308200'), info.subarray(1)])),
    'the length of the digest in the long form': pad(
      infoWith(bytes('0500'), Buffer.concat([bytes('0481'), prefix.subarray(-1), value])),
    ),
    'the digest of the digest': pad(Buffer.concat([prefix, digest(hash, value)])),
    'the digest of nothing': pad(Buffer.concat([prefix, digest(hash, '')])),
    'no digest': pad(Buffer.concat([prefix, Buffer.alloc(value.length)])),
    'a digest that is cut': pad(Buffer.concat([prefix, value.subarray(0, -1)])),
    'a digest that is longer': pad(Buffer.concat([prefix, value, bytes('00')])),
    'the digest as it is': pad(value),
    'the digest of SHA-1': pad(Buffer.concat([infoOf('sha1'), digest('sha1', input)])),
    ...Object.fromEntries(
      ['sha256', 'sha384', 'sha512']
        .filter((name) => name !== hash)
        .flatMap((name) => [
          [`the digest of ${name}`, pad(Buffer.concat([infoOf(name), digest(name, input)]))],
          [`the digest said to be of ${name}`, pad(Buffer.concat([infoOf(name), value]))],
        ]),
    ),
    'something after the digest, inside': pad(
      Buffer.concat([bytes('30'), Buffer.from([info.length]), info.subarray(2), bytes('0500')]),
    ),
    'something after it': pad(Buffer.concat([info, bytes('0500')])),
    'eight bytes of padding and garbage': short(info, 8, 0xa5),
    'eight bytes of padding and zeros': short(info, 8, 0),
    'seven bytes of padding': short(info, 7, 0xff),
    'no padding': short(info, 0, 0),
    'a padding of zeros': pad(info, '0000', 0),
    'a padding of zeros, as a signature': pad(info, '0001', 0),
    'a padding for encryption': pad(info, '0002', 0xa5),
    'a padding of other bytes': pad(info, '0001', 0xfe),
    'another first byte': changed(0, 1),
    'another second byte': changed(1, 2),
    'the first byte of the padding changed': changed(2, 0xfe),
    'the last byte of the padding changed': changed(size - info.length - 2, 0xfe),
    'a zero within the padding': changed(20, 0),
    'no end of the padding': pad(info, '0001', 0xff, 'ff'),
    'another end of the padding': pad(info, '0001', 0xff, '01'),
    'zeros before it': pad(info, '000001'),
    'another tag': changed(size - info.length, 0x31),
  }
  return [
    ...Object.entries(blocks).map(([name, block]): Signature => [name, raise(signer, block)]),
    ['for PSS', signWith(`PS${signer.algorithm.slice(2)}`, signer.privateKey, input)],
    ...oddNumbers(signer, input),
  ]
}

/** Signatures of PSS that leave something of RFC 8017 section 9.1 undone. */
export function badPssSignatures(signer: Signer, input: string): readonly Signature[] {
  const hash = `sha${signer.algorithm.slice(2)}`
  const length = digest(hash, '').length
  const salts = [0, 1, 20, 32, 48, 64, length - 1, length + 1, size - length - 2]
  const block = (changes: PssChanges) => raise(signer, pssBlock(hash, input, changes))
  const others = ['sha1', 'sha256', 'sha384', 'sha512'].filter((name) => name !== hash)
  return [
    ...[...new Set(salts)]
      .filter((saltLength) => saltLength !== length)
      .map(
        (saltLength): Signature => [
          `a salt of ${saltLength} bytes`,
          signWith(signer.algorithm, signer.privateKey, input, saltLength),
        ],
      ),
    ...others.flatMap((other): Signature[] => [
      [`the mask of ${other}`, block({ maskHash: other })],
      [`the digest of ${other}`, block({ message: digest(other, input) })],
    ]),
    ['another last byte', block({ trailer: 0xcc })],
    ['no last byte', block({ trailer: 0 })],
    ['another separator', block({ separator: 2 })],
    ['no separator', block({ separator: 0 })],
    ['a padding that is not zero', block({ filler: 1 })],
    ['a first bit that is set', block({ keepsTopBit: true })],
    ['the digest of nothing', block({ message: digest(hash, '') })],
    ['no bytes before the digest', block({ lead: 0 })],
    ['for PKCS #1 v1.5', signWith(`RS${signer.algorithm.slice(2)}`, signer.privateKey, input)],
    ...oddNumbers(signer, input),
  ]
}

/** What {@link badPssSignatures} puts together is right when nothing is changed. */
export function goodPssSignature(signer: Signer, input: string): Buffer {
  return raise(signer, pssBlock(`sha${signer.algorithm.slice(2)}`, input, {}))
}

interface PssChanges {
  readonly maskHash?: string
  readonly message?: Buffer
  readonly trailer?: number
  readonly separator?: number
  readonly filler?: number
  readonly lead?: number
  readonly keepsTopBit?: boolean
}

function pssBlock(hash: string, input: string, changes: PssChanges): Buffer {
  const { maskHash = hash, message = digest(hash, input), trailer = 0xbc } = changes
  const { separator = 1, filler = 0, lead = 8 } = changes
  const saltLength = digest(hash, '').length
  const salt = Buffer.alloc(saltLength, 0x5a)
  const inner = digest(hash, Buffer.concat([Buffer.alloc(lead), message, salt]))
  const length = size - inner.length - 1
  const data = Buffer.concat([
    Buffer.alloc(length - saltLength - 1, filler),
    Buffer.from([separator]),
    salt,
  ])
  const mask = maskOf(maskHash, inner, length)
  const masked = Buffer.from(data.map((byte, i) => byte ^ (mask[i] ?? 0)))
  const first = masked[0] ?? 0
  // One bit less than the key has, or the number would be too large for it.
  masked[0] = changes.keepsTopBit === true ? (first & 0x7f) | 0x80 : first & 0x7f
  const block = Buffer.concat([masked, inner, Buffer.from([trailer])])
  if (changes.keepsTopBit === true) block[0] = 0x80
  return block
}

function maskOf(hash: string, seed: Buffer, length: number): Buffer {
  const parts: Buffer[] = []
  for (let i = 0; parts.length * digest(hash, '').length < length; i++) {
    parts.push(digest(hash, Buffer.concat([seed, Buffer.from([0, 0, 0, i])])))
  }
  return Buffer.concat(parts).subarray(0, length)
}

/** Numbers that stand out, and others of the same remainder as a good signature. */
function oddNumbers(signer: Signer, input: string): readonly Signature[] {
  const modulus = toNumber(Buffer.from(String(signer.jwk.n), 'base64url'))
  const good = signer.sign(input)
  const number = toNumber(good)
  const other = createSigner(signer.algorithm, { keys: othersKeys })
  return [
    ['zero', toBytes(0n, size)],
    ['one', toBytes(1n, size)],
    ['the modulus', toBytes(modulus, size)],
    ['the modulus less one', toBytes(modulus - 1n, size)],
    ['the modulus and one', toBytes(modulus + 1n, size)],
    ['the negative of a good one', toBytes(modulus - number, size)],
    ['a good one and the modulus', toBytes(number + modulus, size + 1)],
    ['of another key', other.sign(input)],
    ['a good one with a zero before it', Buffer.concat([Buffer.alloc(1), good])],
    ['a good one with a zero after it', Buffer.concat([good, Buffer.alloc(1)])],
    ['nothing but a byte', Buffer.from('ab')],
  ]
}

export function toNumber(content: Buffer): bigint {
  return BigInt(`0x${content.toString('hex')}`)
}

export function toBytes(number: bigint, length: number): Buffer {
  return bytes(number.toString(16).padStart(length * 2, '0'))
}
