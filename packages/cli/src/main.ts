#!/usr/bin/env node
import { exitCodes } from './exit-codes.ts'
import { run } from './run.ts'

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interruption.abort(new Error(`ended by ${signal}`)))
}
// A reader such as `head` that has enough closes the pipe: that is no error. A full disk is one.
let isReaderGone = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') {
    isReaderGone = true
    return
  }
  process.stderr.write(`error: the output cannot be written: ${error.message}\n`)
  process.exit(exitCodes.failed)
})
// What is said beside the result is lost: a write in progress is not.
process.stderr.on('error', () => {})

const { env, stdin, stdout, stderr } = process
process.exitCode = await run(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  signal: interruption.signal,
  isReaderGone: () => isReaderGone,
})
