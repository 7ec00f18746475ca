/**
 * Something that evaluates flags in this process: every flag for every entity, in one order. The
 * answers go into a list that is there already, for lists that grow would be measured as well.
 */
export interface Contestant {
  readonly name: string
  /** Evaluates the boolean flags: where each of them is on. */
  evaluateBooleans(answers: boolean[]): void
  /** Evaluates the variant flags: the key of each one's variant. */
  evaluateVariants(answers: string[]): void
  /** Ends what would keep the process running. */
  close(): void
}
