// Writes docs/cli.md out of the commands, which have to be built.
import { writeFileSync } from 'node:fs'
import { toReference } from './dist/reference.js'

writeFileSync(new URL('../../docs/cli.md', import.meta.url), await toReference())
