/** Why an evaluation came out as it did. */
export type Reason =
  /** No rule decided, and there is no default variant. */
  | 'UNKNOWN_EVALUATION_REASON'
  /** The flag is off. Of variant flags only: a boolean flag's state is its value. */
  | 'FLAG_DISABLED_EVALUATION_REASON'
  /** A rule or rollout decided. */
  | 'MATCH_EVALUATION_REASON'
  /** No rule or rollout decided, so it is the flag's own state or its default variant. */
  | 'DEFAULT_EVALUATION_REASON'
