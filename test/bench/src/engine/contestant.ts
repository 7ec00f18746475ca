/** Something that evaluates flags in this process: every flag for every entity, in one order. */
export interface Contestant {
  readonly name: string
  /** Evaluates the boolean flags: where each of them is on. */
  evaluateBooleans(): readonly boolean[]
  /** Evaluates the variant flags: the key of each one's variant. */
  evaluateVariants(): readonly string[]
  /** Ends what would keep the process alive. */
  close(): void
}
