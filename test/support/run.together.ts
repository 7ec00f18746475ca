// Runs test files in this process. Tests run in the order in which they are declared.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Base, t as suite, Test, TestBase } from 'tap'

/**
 * Ends the async hook by which tap finds the test of an uncaught error: it takes a tenth of the
 * processor time of all tests.
 */
function endHook(test: unknown): void {
  if (!(test instanceof Base)) return
  test.hookDomain.destroy()
  test.hook.onDestroy?.()
}

/**
 * Tap removes the folder of a test before its teardowns, unless one was there first. What a test has started would still
 * write to it, and the removal, and with it the test, might never end.
 */
function keepFolderForTeardown(test: unknown): void {
  if (test instanceof Test) test.teardown(() => {})
}

function prepare(test: unknown): void {
  endHook(test)
  keepFolderForTeardown(test)
  if (test instanceof Base) test.on('subtestAdd', prepare)
}

/** Time in which a process ends by itself when its tests have, in milliseconds. */
const leftOpenMs = 15_000

/** The innermost test that runs. */
function running(test: TestBase): TestBase {
  const [subtest] = test.activeSubtests
  return subtest instanceof TestBase ? running(subtest) : test
}

// Makes the hook of the process, as the first test would.
suite.pipe(process.stdout)
prepare(suite)
process.on('uncaughtException', (error) => running(suite).threw(error))
// A test that failed may have left open what would hold the process until its limit.
suite.once('complete', () => setTimeout(() => process.exit(), leftOpenMs).unref())

for (const file of (process.env.SVC_TEST_FILES ?? '').split(',')) {
  await import(pathToFileURL(resolve(file)).href)
}
