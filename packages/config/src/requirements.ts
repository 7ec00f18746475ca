/**
 * What a setting needs of others: two that contradict each other, or one that is missing. A setting
 * that merely has no effect is allowed, so that a feature can be switched off for a while.
 */
export interface Requirement {
  /** Of the setting that is refused, for example `cors.enabled`. */
  readonly key: string
  readonly isMet: boolean
  /** What is wrong, as it goes on from the key. */
  readonly wrong: string
  /** What to do about it. */
  readonly remedy: string
}

export function present(key: string, value: unknown): Requirement {
  return { key, isMet: value !== undefined, wrong: 'is missing', remedy: 'Set it' }
}

export function notEmpty(key: string, values: object, fault: string): Requirement {
  const isMet = Object.keys(values).length > 0
  const wrong = key.endsWith('.enabled') ? `is true, but ${fault}` : fault
  return { key, isMet, wrong, remedy: 'Name at least one' }
}
