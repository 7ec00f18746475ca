import type { EvaluationResponse, Explanation, Flag } from '@svc/client/api'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../data/api.ts'
import type { AskedContext } from '../../explain/context.ts'

/** An explanation of the service, and the request that brought it. */
export interface Asked {
  readonly explanation: Explanation
  readonly requestId: string | undefined
}

export function explainQuery(
  namespaceKey: string,
  flagKey: string,
  entityId: string,
  context: AskedContext,
) {
  return queryOptions({
    queryKey: ['explanation', namespaceKey, flagKey, entityId, context],
    async queryFn({ signal }): Promise<Asked> {
      let requestId: string | undefined
      const request = { namespaceKey, flagKey, entityId, context: toTexts(context) }
      const explanation = await api.explanations.explain(request, {
        signal,
        onAnswer: (answer) => {
          requestId = answer.requestId
        },
      })
      return { explanation, requestId }
    },
    staleTime: 0,
  })
}

/** Evaluates flags for one entity: the answers are in their order. */
export function evaluateQuery(
  namespaceKey: string,
  flags: readonly Flag[],
  entityId: string,
  context: AskedContext,
) {
  const keys = flags.map(({ key }) => key)
  return queryOptions({
    queryKey: ['evaluations', namespaceKey, keys, entityId, context],
    async queryFn({ signal }): Promise<readonly EvaluationResponse[]> {
      const texts = toTexts(context)
      const requests = keys.map((flagKey) => ({ namespaceKey, flagKey, entityId, context: texts }))
      return (await api.evaluation.evaluateBatch({ requests }, { signal })).responses
    },
    staleTime: 0,
  })
}

/** Values as the service takes them: those that are no text as their JSON, `null` as absent. */
function toTexts(context: AskedContext): Readonly<Record<string, string>> {
  const entries = Object.entries(context).filter(([, value]) => value !== null)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}
