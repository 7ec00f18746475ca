/** What changes may come about by, as `source` of a list of them. */
export const sources = ['api', 'apply', 'undo', 'seed'] as const

export type Source = (typeof sources)[number]
