/** The schema that this service alone reads and writes. */
export const schema = 'resource'

export const migrations = new URL('../migrations/', import.meta.url)
