import t, { type Test } from 'tap'
import type { Algorithm } from '../algorithms.ts'
import {
  audience,
  goodClaims,
  issuer,
  keySet,
  now,
  openJwt,
  startKeyServer,
} from './jwt.test.support.ts'
import {
  badEcdsaSignatures,
  badEdwardsSignatures,
  otherEcdsaSignature,
} from './signatures.curves.test.support.ts'
import {
  badPkcs1Signatures,
  badPssSignatures,
  goodPkcs1Signature,
  goodPssSignature,
  rsaKeys,
  type Signature,
} from './signatures.rsa.test.support.ts'
import { createSigner, encode, everyAlgorithm, type Signer } from './signing.test.support.ts'

const signerOf = (algorithm: Algorithm) =>
  createSigner(algorithm, /^[RP]S/.test(algorithm) ? { keys: rsaKeys } : {})

const counts = { refused: 0, accepted: 0 }

/** How a token is received whose signature is the test's. */
async function open(t: Test, signer: Signer) {
  const server = await startKeyServer(t, keySet(signer.jwk))
  const jwt = await openJwt(t, {
    ci: {
      issuer,
      audiences: audience,
      jwks_url: server.url,
      allow_insecure: 'true',
      algorithms: everyAlgorithm.join(' '),
    },
  })
  const answerTo = (signature: Buffer, input: string) =>
    jwt.verify(`${input}.${encode(signature)}`, now * 1000).then(
      () => 'accepted',
      (error: { code?: unknown; message: string }) => String(error.code ?? error.message),
    )
  return {
    async accepts([name, signature]: Signature, input: string) {
      if (t.equal(await answerTo(signature, input), 'accepted', name)) counts.accepted += 1
    },
    async refuses(signatures: readonly Signature[], input: string) {
      for (const [name, signature] of signatures) {
        const answer = await answerTo(signature, input)
        if (t.equal(answer, 'unauthenticated', name)) counts.refused += 1
      }
    },
  }
}

/** What a token signs; the id makes one of many. */
function inputOf({ algorithm, keyId }: Signer, jti = 'one'): string {
  return `${encode({ alg: algorithm, kid: keyId })}.${encode({ ...goodClaims, jti })}`
}

for (const algorithm of everyAlgorithm) {
  t.test(
    `of the signatures that look like ${algorithm} only the good ones are accepted`,
    async (t) => {
      const signer = signerOf(algorithm)
      const { accepts, refuses } = await open(t, signer)
      const input = inputOf(signer)
      const good = signer.sign(input)
      await accepts(['a good one', good], input)
      if (algorithm.startsWith('RS')) {
        await accepts(['one put together by hand', goodPkcs1Signature(signer, input)], input)
        await refuses(badPkcs1Signatures(signer, input), input)
      }
      if (algorithm.startsWith('PS')) {
        await accepts(['one with a salt that is known', goodPssSignature(signer, input)], input)
        await refuses(badPssSignatures(signer, input), input)
      }
      if (algorithm.startsWith('ES')) {
        await accepts(['the other one', otherEcdsaSignature(signer, good)], input)
        await refuses(badEcdsaSignatures(signer, input), input)
      }
      if (algorithm === 'EdDSA') await refuses(badEdwardsSignatures(signer, input), input)
    },
  )
}

/** One in 256 does. */
function beginWithZero(signer: Signer): readonly [input: string, signature: Buffer] {
  for (let i = 0; i < 10_000; i++) {
    const input = inputOf(signer, String(i))
    const signature = signer.sign(input)
    if (signature[0] === 0) return [input, signature]
  }
  throw new Error('no signature begins with a zero')
}

t.test('a signature that begins with a zero is not good without it', async (t) => {
  for (const algorithm of ['RS256', 'PS256', 'ES256', 'EdDSA'] as const) {
    const signer = signerOf(algorithm)
    const { accepts, refuses } = await open(t, signer)
    const [input, signature] = beginWithZero(signer)
    await accepts([algorithm, signature], input)
    await refuses([[`${algorithm} without it`, signature.subarray(1)]], input)
  }
})

t.test('the count', async (t) => {
  t.comment(`${counts.refused} invalid signatures refused, ${counts.accepted} valid ones accepted`)
  t.ok(counts.refused >= 355)
})
