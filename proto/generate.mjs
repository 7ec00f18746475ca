// Makes gen/: the TypeScript of the messages and services, and the descriptor set that the gateway
// turns into routes. Run through `pnpm generate`.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const cwd = fileURLToPath(new URL('.', import.meta.url))
const buf = (...args) =>
  execFileSync(`${cwd}node_modules/.bin/buf`, args, { cwd, stdio: 'inherit' })

buf('generate', '--include-imports')
mkdirSync(`${cwd}gen`, { recursive: true })
buf('build', '-o', 'gen/descriptors.binpb')
