import { readEvaluationVectors, type VectorDocument } from '@svc/evaluation/testing'
import type { Test } from '../support/listen.ts'
import { loadDocument } from '../support/load-document.ts'
import { startStack } from '../support/stack.ts'
import { judge, type Result } from './report.ts'
import type { Side, Target } from './side.ts'

/**
 * Asks every side the vectors, one side after the other, of services that it starts.
 *
 * @param share 1 for all of them; n for those of every n-th flag
 */
export async function runConformance(
  t: Test,
  sides: readonly Side[],
  share: number,
  onResult: (result: Result) => void,
): Promise<readonly Result[]> {
  const { documents: all, vectors: everyVector } = readEvaluationVectors()
  const documents = all.map((document) => withFlags(document, share))
  const keys = new Set(
    documents.flatMap(({ namespace, flags }) => flags.map(({ key }) => `${namespace.key}/${key}`)),
  )
  const vectors = everyVector.filter(({ request }) =>
    keys.has(`${request.namespaceKey}/${request.flagKey}`),
  )
  const target = await startTarget(t, documents)
  const results: Result[] = []
  for (const { name, ask } of sides) {
    const startedAt = performance.now()
    const outcomes = await ask(target, vectors)
    const result = judge(name, vectors, outcomes, performance.now() - startedAt)
    onResult(result)
    results.push(result)
  }
  return results
}

async function startTarget(t: Test, documents: readonly VectorDocument[]): Promise<Target> {
  const { api, urls, token } = await startStack(t)
  for (const document of documents) {
    await loadDocument(api, document)
    const { key } = document.namespace
    const last = await api('PUT', `/api/v1/namespaces/${key}`, { name: 'Loaded' })
    const revision = last.headers.get('x-svc-revision') ?? ''
    const headers = { 'x-svc-namespace': key, 'x-svc-min-revision': revision }
    const { status, text } = await api('POST', '/ofrep/v1/evaluate/flags', {}, headers)
    if (status !== 200) throw new Error(`namespace "${key}" is not served: ${text}`)
  }
  return { url: urls[0], token, documents }
}

function withFlags({ flags, ...others }: VectorDocument, share: number): VectorDocument {
  return { ...others, flags: flags.filter((_, index) => index % share === 0) }
}
