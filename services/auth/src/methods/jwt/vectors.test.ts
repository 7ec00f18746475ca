import t from 'tap'
import { openVectors, vectors } from './vectors.test.support.ts'

t.test('of all the ways to make a token, only the good ones are accepted', async (t) => {
  const { server, jwt } = await openVectors(t)
  const counts = { accepted: 0, unauthenticated: 0 }
  for (const { algorithm, vectors: ofAlgorithm } of vectors) {
    for (const { name, token, expected } of ofAlgorithm) {
      const answer = await jwt.verify(token).then(
        () => 'accepted',
        (error: { code?: unknown; message: string }) => String(error.code ?? error.message),
      )
      if (answer === expected) counts[expected] += 1
      else t.fail(`${algorithm}, ${name}: ${answer}`)
    }
  }
  t.strictSame(counts, { accepted: 293, unauthenticated: 3708 })
  t.ok(server.asked <= 2, `the keys were fetched ${server.asked} times`)
})
