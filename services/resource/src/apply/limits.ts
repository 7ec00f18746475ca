/** Maximum operations of a draft. */
export const maxOperations = 20_000

/** Maximum items of a change that is undone: a namespace, and as much as may be deleted with it. */
export const maxItems = 20_001

/** Maximum size of the same, in bytes. */
export const maxBytes = 64 * 2 ** 20
