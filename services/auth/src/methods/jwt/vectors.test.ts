import { constants, verify } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { audience, issuer, keySet, now, openJwt, startKeyServer } from './jwt.test.support.ts'
import { createSigner, everyAlgorithm, generateKeys, type Signer } from './signing.test.support.ts'
import { badClaims, goodClaimSets } from './vectors.claims.test.support.ts'
import { badForms, lengthen } from './vectors.form.test.support.ts'
import { badHeaders, goodHeaders, respelledHeaders } from './vectors.header.test.support.ts'
import type { Forge, Vector } from './vectors.test.support.ts'

/** How much processor time a token may take, in milliseconds. */
const longestMs = 5

/**
 * Or this many times what its signature takes, for one of ES512 alone takes a slow machine longer. Four,
 * for the machine may have been faster when that was measured.
 */
const signaturesLong = 4

/** One that takes more is tried again: compiling and collecting garbage count as well. */
const attempts = 20
const pauseMs = 5

/** How much processor time it takes to check a signature, without anything of ours. */
async function signatureMs({ algorithm, publicKey, sign }: Signer): Promise<number> {
  const data = Buffer.from('any')
  const signature = sign(data)
  const hash = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`
  const padding = algorithm.startsWith('PS') ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {}
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363', ...padding } as const
  let fastestMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < attempts; i++) {
    const before = process.cpuUsage()
    const isGood = verify(hash, data, key, signature)
    const { user, system } = process.cpuUsage(before)
    if (!isGood) throw new Error(`${algorithm} is not checked as it is signed`)
    fastestMs = Math.min(fastestMs, (user + system) / 1000)
    await sleep(pauseMs)
  }
  return fastestMs
}

t.test('of all the ways to make a token, only the good ones are accepted', async (t) => {
  const rsaKeys = generateKeys('RS256')
  const strangersKeys = generateKeys('RS256')
  const isRsa = (algorithm: string) => /^[RP]S/.test(algorithm)
  const signers = everyAlgorithm.map((algorithm) =>
    createSigner(algorithm, isRsa(algorithm) ? { keys: rsaKeys } : {}),
  )
  const server = await startKeyServer(t, keySet(...signers.map(({ jwk }) => jwk)))
  const jwt = await openJwt(t, {
    ci: {
      issuer,
      audiences: audience,
      jwks_url: server.url,
      allow_insecure: 'true',
      algorithms: everyAlgorithm.join(' '),
    },
  })
  const counts = { refused: 0, accepted: 0, slowestMs: 0 }

  const answerTo = async (token: string) => {
    const before = process.cpuUsage()
    const answer = await jwt.verify(token, now * 1000).then(
      () => 'accepted',
      (error: { code?: unknown; message: string }) => String(error.code ?? error.message),
    )
    const { user, system } = process.cpuUsage(before)
    return { answer, tookMs: (user + system) / 1000 }
  }
  const expectAll = async (
    t: Test,
    vectors: readonly Vector[],
    expected: string,
    limitMs: number,
  ) => {
    const names = new Set(vectors.map(([name]) => name))
    t.equal(names.size, vectors.length, 'each vector has a name of its own')
    let right = 0
    for (const [name, token] of vectors) {
      const first = await answerTo(token)
      if (first.answer === expected) right += 1
      else t.fail(`${name}: ${first.answer}`)
      let { tookMs } = first
      for (let i = 1; i < attempts && tookMs >= limitMs; i++) {
        await sleep(pauseMs)
        tookMs = Math.min(tookMs, (await answerTo(token)).tookMs)
      }
      if (tookMs >= limitMs) t.fail(`${name} took ${tookMs} ms`)
      counts.slowestMs = Math.max(counts.slowestMs, tookMs)
    }
    return right
  }

  for (const [i, signer] of signers.entries()) {
    await t.test(signer.algorithm, async (t) => {
      const other = signers[(i + 1) % signers.length] ?? signer
      const stranger = createSigner(signer.algorithm, {
        keyId: 'stranger',
        ...(isRsa(signer.algorithm) && { keys: strangersKeys }),
      })
      const forge: Forge = { signer, other, stranger }
      const limitMs = Math.max(longestMs, signaturesLong * (await signatureMs(signer)))
      const good: readonly Vector[] = [
        ...goodHeaders(forge),
        ...goodClaimSets(forge),
        ['as long as one may be', lengthen(forge, 8190)],
      ]
      const bad = [
        ...badHeaders(forge),
        ...respelledHeaders(forge),
        ...badClaims(forge),
        ...badForms(forge),
      ]
      counts.accepted += await expectAll(t, good, 'accepted', limitMs)
      counts.refused += await expectAll(t, bad, 'unauthenticated', limitMs)
      t.ok(bad.length >= 150, `${bad.length} ways to make a bad one`)
    })
  }

  const { refused, accepted, slowestMs } = counts
  t.comment(
    `${refused} invalid tokens refused, ${accepted} valid ones accepted, ` +
      `${everyAlgorithm.length} algorithms; the slowest took ${slowestMs.toFixed(2)} ms`,
  )
  t.ok(refused >= 1500)
  t.ok(server.asked <= 2, `the keys were fetched ${server.asked} times`)
})
