// Makes gen/: the TypeScript of the messages and services, what their fields have to be, and the
// descriptor set that the gateway turns into routes. Run through `pnpm generate`.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { readRules } from './field-rules.mjs'

const cwd = import.meta.dirname
const buf = (...args) =>
  execFileSync(`${cwd}/node_modules/.bin/buf`, args, { cwd, stdio: 'inherit' })

buf('generate', '--include-imports')
buf('build', '-o', 'gen/descriptors.binpb')
const { rules, exactlyOne, closed } = readRules(readFileSync(`${cwd}/gen/descriptors.binpb`))
writeFileSync(
  `${cwd}/gen/svc/field-rules.ts`,
  `/** What fields have to be: \`svc.options.v1.field\`, by message and field in JSON. */
export const fieldRules = ${JSON.stringify(rules, null, 2)} as const

/** Fields of which a request has exactly one: \`svc.options.v1.exactly_one\`, by message. */
export const exactlyOne = ${JSON.stringify(exactlyOne, null, 2)} as const

/** Messages that refuse unknown members in a request: \`svc.options.v1.closed\`, by their full names. */
export const closedMessages: readonly string[] = ${JSON.stringify(closed, null, 2)}
`,
)
