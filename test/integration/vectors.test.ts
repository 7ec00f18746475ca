import { type EvaluationVector, readEvaluationVectors } from '@svc/evaluation/testing'
import t from 'tap'
import { loadDocument } from '../support/load-document.ts'
import { startStack } from '../support/stack.ts'

/** Every eighth vector: 500 of the 4,000. */
const sampleStep = 8

t.test('500 of the evaluation vectors over HTTP', async (t) => {
  const { documents, vectors } = readEvaluationVectors()
  const { api } = await startStack(t)
  for (const document of documents) await loadDocument(api, document)
  const sample = vectors.filter((_, i) => i % sampleStep === 0)
  t.equal(sample.length, 500)

  // The last write is answered before the gateway has heard of it; it hears within a second.
  await untilServed(sample)

  await t.test('one by one', async (t) => {
    for (const { kind, request, expected } of sample) {
      const answer = await api('POST', `/evaluate/v1/${kind}`, request)
      t.match(answer.body, { ...expected, flagKey: request.flagKey }, JSON.stringify(request))
    }
  })

  await t.test('in one batch', async (t) => {
    const requests = sample.map(({ request }) => request)
    const answer = await api('POST', '/evaluate/v1/batch', { requests })
    const { responses } = answer.body as { responses: Record<string, object>[] }
    const answers = responses.map((one) => one.booleanResponse ?? one.variantResponse)
    t.match(
      answers,
      sample.map(({ expected }) => expected),
    )
  })

  async function untilServed(vectors: readonly EvaluationVector[]) {
    const last = vectors.map(({ request }) => request).filter(isOfLastFlag)
    const deadline = Date.now() + 5000
    while (Date.now() < deadline) {
      const answer = await api('POST', '/evaluate/v1/batch', { requests: last })
      const { responses } = answer.body as { responses: { type: string }[] }
      if (responses.every(({ type }) => !type.startsWith('ERROR'))) break
    }
    // Its rollouts came after the flag itself.
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }

  function isOfLastFlag({ namespaceKey, flagKey }: { namespaceKey: string; flagKey: string }) {
    const document = documents.at(-1)
    return namespaceKey === document?.namespace.key && flagKey === document.flags.at(-1)?.key
  }
})
