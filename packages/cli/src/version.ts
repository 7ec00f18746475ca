import { createRequire } from 'node:module'

/** Version of this command line, such as `1.0.0`. */
export const version: string = createRequire(import.meta.url)('../package.json').version
