// What `npm test` runs.
import { fileURLToPath } from 'node:url'
import { AppError } from '@svc/runtime'
import { readRunOptions } from './run.options.ts'
import { runTests } from './run.tests.ts'

/** Where the repository is: this file is test/dist/support/run.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

function describeError(error: unknown): string {
  if (error instanceof AppError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

async function main(): Promise<number> {
  return runTests(root, readRunOptions(process.argv.slice(2)))
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${describeError(error)}\n`)
    process.exit(2)
  },
)
