import { goodClaims } from './jwt.test.support.ts'
import { encode } from './signing.test.support.ts'
import { type Forge, header, type Vector } from './vectors.test.support.ts'

/** Tokens that are refused for how they are put together, or for their signature. */
export function badForms(forge: Forge): readonly Vector[] {
  const good = forge.signer.token(header(forge), goodClaims)
  const [head = '', body = '', signature = ''] = good.split('.')
  const json = { protected: head, payload: body, signature }
  const forms: Readonly<Record<string, string>> = {
    'one part': head,
    'two parts': `${head}.${body}`,
    'two parts and a dot': `${head}.${body}.`,
    'four parts': `${good}.${signature}`,
    'four parts, the last empty': `${good}.`,
    'four parts, the first empty': `.${good}`,
    'five parts, as encrypted ones have': `${head}.${signature}.${signature}.${body}.${signature}`,
    'six parts': `${good}.${good}`,
    'no header': `.${body}.${signature}`,
    'no claims': `${head}..${signature}`,
    'only dots': '..',
    'header and claims changed places': `${body}.${head}.${signature}`,
    'JSON, flattened': JSON.stringify(json),
    'JSON, general': JSON.stringify({ payload: body, signatures: [json] }),
    'the scheme before it': `Bearer ${good}`,
    'a comma and another': `${good},${good}`,
    'too long by one': lengthen(forge, 8193),
    'far too long': lengthen(forge, 65_536),
  }
  return [...Object.entries(forms), ...respelled(good), ...badSignatures(forge, good)]
}

/** A good token of this length, or the next one that there is. */
export function lengthen(forge: Forge, length: number): string {
  const make = (padding: number) =>
    forge.signer.token(header(forge), { ...goodClaims, padding: 'x'.repeat(padding) })
  let padding = Math.max(0, Math.floor(((length - make(0).length) * 3) / 4) - 8)
  while (make(padding).length < length) padding += 1
  return make(padding)
}

/** What lenient readers of base64 take for the same. */
function respelled(good: string): readonly Vector[] {
  const parts = good.split('.')
  const spellings: Readonly<Record<string, (part: string) => string>> = {
    'with padding': (part) => `${part}=`,
    'with two of padding': (part) => `${part}==`,
    'with a space': (part) => `${part.slice(0, 4)} ${part.slice(4)}`,
    'with a space at its end': (part) => `${part} `,
    'with a line end': (part) => `${part}\n`,
    'with a tab': (part) => `${part.slice(0, 4)}\t${part.slice(4)}`,
    'with a zero': (part) => `${part}\0`,
    'in the other alphabet': (part) => `${part.slice(0, 4)}+/${part.slice(4)}`,
    'with an escape of URLs': (part) => `%${part.charCodeAt(0).toString(16)}${part.slice(1)}`,
    'with a character more': (part) => `${part}A`,
    'with a character of other letters': (part) => `${part.slice(0, -1)}А`,
    'with other bits to spare': otherSpareBits,
    'with an exclamation mark': (part) => `${part}!`,
    twice: (part) => part + part,
  }
  return Object.entries(spellings).flatMap(([name, respell]) =>
    ['header', 'claims', 'signature'].map((which, at): Vector => {
      const changed = parts.map((part, i) => (i === at ? respell(part) : part)).join('.')
      // A part without bits to spare has one spelling only; an empty place is refused as well.
      return [`${which} ${name}`, changed === good ? `${good}.` : changed]
    }),
  )
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function otherSpareBits(part: string): string {
  if (part.length % 4 < 2) return part
  const last = alphabet.indexOf(part.slice(-1))
  return part.slice(0, -1) + alphabet.charAt(last + 1)
}

function badSignatures({ signer, stranger }: Forge, good: string): readonly Vector[] {
  const [head = '', body = '', signature = ''] = good.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const changed = (at: number) => Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)))
  const half = bytes.length / 2
  const signatures: Readonly<Record<string, Buffer>> = {
    'its first bit changed': changed(0),
    'a bit in the middle changed': changed(Math.floor(half)),
    'its last bit changed': changed(bytes.length - 1),
    'a byte less': bytes.subarray(0, -1),
    'its first byte missing': bytes.subarray(1),
    'half of it': bytes.subarray(0, half),
    'a byte more': Buffer.concat([bytes, Buffer.alloc(1)]),
    'a byte before it': Buffer.concat([Buffer.alloc(1), bytes]),
    'it twice': Buffer.concat([bytes, bytes]),
    'its halves exchanged': Buffer.concat([bytes.subarray(half), bytes.subarray(0, half)]),
    'it backwards': Buffer.from(bytes.toReversed()),
    'every bit changed': Buffer.from(bytes.map((byte) => byte ^ 0xff)),
    zeros: Buffer.alloc(bytes.length),
    'ones in each bit': Buffer.alloc(bytes.length, 0xff),
    'a one at the end': Buffer.concat([Buffer.alloc(bytes.length - 1), Buffer.from([1])]),
    'two bytes': Buffer.from('ab'),
    'four thousand bytes': Buffer.alloc(4000, 1),
    'the digest of nothing': Buffer.from('0'),
    'of the claims alone': signer.sign(body),
    'of the header alone': signer.sign(head),
    'without the dot': signer.sign(head + body),
    'of another dot': signer.sign(`${head}:${body}`),
    'of what stands there, decoded': signer.sign(
      Buffer.concat([Buffer.from(head, 'base64url'), Buffer.from(body, 'base64url')]),
    ),
    'of other claims': signer.sign(`${head}.${encode({ ...goodClaims, sub: 'admin' })}`),
    'of a stranger': stranger.sign(`${head}.${body}`),
  }
  return Object.entries(signatures).map(([name, content]) => [
    `signature: ${name}`,
    `${head}.${body}.${encode(content)}`,
  ])
}
