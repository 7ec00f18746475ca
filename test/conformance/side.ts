import type { EvaluationVector, VectorDocument } from '@svc/evaluation/testing'

/** A running service that holds the documents of the vectors. */
export interface Target {
  readonly url: string
  /** A token that may do everything. */
  readonly token: string
  readonly documents: readonly VectorDocument[]
}

/** What a side answered to a vector, and what it has to answer; both as JSON values. */
export interface Outcome {
  readonly given: unknown
  readonly right: unknown
}

/** One way to an answer: an endpoint, a client, a provider. */
export interface Side {
  readonly name: string
  /** @returns an outcome for each vector, in the order of the vectors */
  readonly ask: (
    target: Target,
    vectors: readonly EvaluationVector[],
  ) => Promise<readonly Outcome[]>
}

/** Requests that are under way at a time. */
const maxConcurrent = 8

/** Asks one vector at a time, several at once. */
export async function oneByOne(
  vectors: readonly EvaluationVector[],
  ask: (vector: EvaluationVector) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const waiting = vectors.entries()
  const work = async () => {
    for (const [index, vector] of waiting) outcomes[index] = await ask(vector)
  }
  await Promise.all(Array.from({ length: maxConcurrent }, work))
  return outcomes
}

/** Asks the vectors of each namespace together: clients and providers have one namespace. */
export async function byNamespace(
  vectors: readonly EvaluationVector[],
  ask: (namespaceKey: string, vectors: readonly EvaluationVector[]) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<EvaluationVector, Outcome>()
  for (const [key, group] of Map.groupBy(vectors, ({ request }) => request.namespaceKey)) {
    for (const [index, outcome] of (await ask(key, group)).entries()) {
      const vector = group[index]
      if (vector !== undefined) outcomes.set(vector, outcome)
    }
  }
  return vectors.flatMap((vector) => outcomes.get(vector) ?? [])
}

/** The members of an answer that the vector says something about. */
export function pick(answer: unknown, like: object): unknown {
  const { ...members } = (answer ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.keys(like).map((name) => [name, members[name]]))
}
