/** Maximum operations of a draft, and items of a change that is undone. */
export const maxOperations = 20_000

/** Maximum size of the same, in bytes. */
export const maxBytes = 64 * 2 ** 20
