import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { audience, issuer, keySet, now, openJwt, startKeyServer } from './jwt.test.support.ts'
import { createSigner, everyAlgorithm, generateKeys } from './signing.test.support.ts'
import { badClaims, goodClaimSets } from './vectors.claims.test.support.ts'
import { badForms, lengthen } from './vectors.form.test.support.ts'
import { badHeaders, goodHeaders, respelledHeaders } from './vectors.header.test.support.ts'
import type { Forge, Vector } from './vectors.test.support.ts'

/** How much processor time a token may take, in milliseconds. */
const longestMs = 5

/** One that takes more is tried again: compiling and collecting garbage count as well. */
const attempts = 20
const pauseMs = 5

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
    const answer = await jwt.authenticate(token, now * 1000).then(
      () => 'accepted',
      (error: { code?: unknown; message: string }) => String(error.code ?? error.message),
    )
    const { user, system } = process.cpuUsage(before)
    return { answer, tookMs: (user + system) / 1000 }
  }
  const expectAll = async (t: Test, vectors: readonly Vector[], expected: string) => {
    const names = new Set(vectors.map(([name]) => name))
    t.equal(names.size, vectors.length, 'each vector has a name of its own')
    let right = 0
    for (const [name, token] of vectors) {
      const first = await answerTo(token)
      if (first.answer === expected) right += 1
      else t.fail(`${name}: ${first.answer}`)
      let { tookMs } = first
      for (let i = 1; i < attempts && tookMs >= longestMs; i++) {
        await sleep(pauseMs)
        tookMs = Math.min(tookMs, (await answerTo(token)).tookMs)
      }
      if (tookMs >= longestMs) t.fail(`${name} took ${tookMs} ms`)
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
      counts.accepted += await expectAll(t, good, 'accepted')
      counts.refused += await expectAll(t, bad, 'unauthenticated')
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
