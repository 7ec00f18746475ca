/** What a flag was asked for. */
export interface Question {
  readonly entityId: string
  /** JSON; empty when nothing is known. */
  readonly context: string
}

/** Questions that are offered again. */
export const maxRecent = 6

/** A made-up entity, such as `user-4711`. */
export function randomEntity(): string {
  return `user-${crypto.getRandomValues(new Uint32Array(1))[0] ?? 0}`.slice(0, 10)
}

/** The question in front of those before it, each once. */
export function withRecent(recent: readonly Question[], question: Question): readonly Question[] {
  const others = recent.filter(
    ({ entityId, context }) => entityId !== question.entityId || context !== question.context,
  )
  return [question, ...others].slice(0, maxRecent)
}

/** What is kept of a tab, and gone with it. Names begin with `svc.asked`. */
export function readKept<T>(name: string, isValid: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(name) ?? 'null')
    return isValid(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(value))
  } catch {
    // A browser may keep nothing: then it holds until the page is left.
  }
}

/** After a person has signed out: what was asked is not for the next one in this tab. */
export function forgetKept(): void {
  try {
    for (const name of Object.keys(sessionStorage)) {
      if (name.startsWith('svc.asked')) sessionStorage.removeItem(name)
    }
  } catch {
    // Then nothing was kept.
  }
}

export function isQuestion(value: unknown): value is Question {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'entityId') === 'string' &&
    typeof Reflect.get(value, 'context') === 'string'
  )
}

export function areQuestions(value: unknown): value is readonly Question[] {
  return Array.isArray(value) && value.every(isQuestion)
}
