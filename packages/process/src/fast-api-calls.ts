import { setFlagsFromString } from 'node:v8'

/**
 * Has optimized code call the functions of Node.js as all other code does, and not by V8's fast API calls. A fast call
 * that allocates, as `Buffer.byteLength` does for a string of several parts, may collect garbage. When something that the
 * calling function was optimized for dies in it, Node.js 24 goes on in code that is no longer valid: the process ends with
 * SIGSEGV, or worse, does something else than its source says (docs/decisions/0054-fast-api-calls.md).
 *
 * What was optimized before is left as it is, so it comes first of all.
 */
export function disableFastApiCalls(): void {
  setFlagsFromString('--no-turbo-fast-api-calls')
}
