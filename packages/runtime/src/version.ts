import { createRequire } from 'node:module'

/** Version of this build, such as `1.0.0`: of all packages and images, which a test holds. */
export const version: string = createRequire(import.meta.url)('../package.json').version
