// Writes src/api/gen/: a type for each message of the public operations as JSON has it, and a function for each
// operation. Run through `pnpm generate`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { loadContract } from '@svc/contract'
import { toSource } from './generate.operations.mjs'

const folder = new URL('src/api/gen/', import.meta.url)

mkdirSync(folder, { recursive: true })
writeFileSync(new URL('operations.ts', folder), toSource(loadContract()))
