/** Something that evaluates flags in this process. */
export interface Contestant {
  readonly name: string
  /** Evaluates the boolean cases: which are on. */
  evaluateBooleans(): readonly boolean[]
  /** Evaluates the variant cases: the key of each one's variant. */
  evaluateVariants(): readonly string[]
  /** Ends what would keep the process alive. */
  close(): void
}
