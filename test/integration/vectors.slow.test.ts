import { FliptClient } from '@flipt-io/flipt-client-js'
import { type EvaluationVector, readEvaluationVectors } from '@svc/evaluation/testing'
import t from 'tap'
import { isWithinEngine } from '../support/client-engine.ts'
import { loadDocument } from '../support/load-document.ts'
import { startStack } from '../support/stack.ts'

/** Every eighth vector: 500 of the 4,000. */
const sampleStep = 8

t.test('500 of the evaluation vectors over HTTP', async (t) => {
  const { documents, vectors } = readEvaluationVectors()
  const { api, urls, token } = await startStack(t)
  for (const document of documents) await loadDocument(api, document)
  const sample = vectors.filter((_, i) => i % sampleStep === 0)
  t.equal(sample.length, 500)

  // The last write is answered before the gateway has it, which takes a second at most.
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

  await t.test('all of them by the engine of the client-side SDKs, from snapshots', async (t) => {
    const differences: object[] = []
    let within = 0
    let equal = 0
    for (const document of documents) {
      const namespace = document.namespace.key
      const authentication = { clientToken: token }
      const client = await FliptClient.init({ url: urls[0], namespace, authentication })
      for (const { kind, request, expected } of vectors) {
        if (request.namespaceKey !== namespace || request.entityId.trim() === '') continue
        const answer = inOrder(
          kind === 'boolean' ? client.evaluateBoolean(request) : client.evaluateVariant(request),
        )
        const wanted = inOrder(expected)
        const names = Object.keys(wanted) as (keyof typeof wanted)[]
        const isEqual = names.every((name) => String(wanted[name]) === String(answer[name]))
        if (isEqual) equal++
        if (!isWithinEngine(document, request)) continue
        within++
        if (!isEqual) differences.push({ request, wanted, answer })
      }
      client.close()
    }
    t.strictSame(differences, [])
    t.ok(within > 1000, `it has to agree on ${within}`)
    t.ok(equal > 3600, `it agrees on ${equal} of ${vectors.length}`)
  })

  /** The engine gives segments in any order, and leaves out what is empty. */
  function inOrder<Evaluation extends { readonly segmentKeys: readonly string[] }>(
    evaluation: Evaluation,
  ) {
    return { variantAttachment: '', ...evaluation, segmentKeys: evaluation.segmentKeys.toSorted() }
  }

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
