export const schema = 'auth'

export const migrations = new URL('../migrations/', import.meta.url)
