import { setTimeout as sleep } from 'node:timers/promises'

export const tally = { passed: 0, failed: 0 }

/** One test: prints its outcome, and the error. @returns whether it passed */
export async function check(sentence, work) {
  const begunAt = Date.now()
  const took = () => `(${((Date.now() - begunAt) / 1000).toFixed(1)} s)`
  try {
    await work()
  } catch (error) {
    tally.failed += 1
    console.log(`not ok - ${sentence} ${took()}\n${String(error.stack).replaceAll(/^/gm, '    ')}`)
    return false
  }
  tally.passed += 1
  console.log(`ok - ${sentence} ${took()}`)
  return true
}

/** Repeats the work until it does not throw; at the end of the time, throws what it threw last. */
export async function waitFor(limitMs, work, intervalMs = 100) {
  const end = Date.now() + limitMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > end) throw error
      await sleep(intervalMs)
    }
  }
}

/** Says what could not be tested here, as .ci/run does. */
export function boxed(sentence) {
  const rule = '#'.repeat(sentence.length + 4)
  console.log(`\n${rule}\n# ${sentence} #\n${rule}`)
}

/** Prints the closing line, and decides the exit code. */
export function finish() {
  console.log(`${tally.passed} passed, ${tally.failed} failed`)
  process.exitCode = tally.failed === 0 ? 0 : 1
}
