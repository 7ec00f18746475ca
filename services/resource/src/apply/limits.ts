/** Maximum operations of a draft. */
export const maxOperations = 20_000

/** Maximum items of a change that is undone: a namespace, and as much as may be deleted with it. */
export const maxItems = maxOperations + 1

/** Maximum size of either, in bytes. */
export const maxBytes = 64 * 2 ** 20
