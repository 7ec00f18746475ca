import { setTimeout as sleep } from 'node:timers/promises'

/** Only a defect takes this long, even on a busy machine. */
const limitMs = 60_000
const intervalMs = 5

/** Polls until the condition holds; its source text is the message when it does not. */
export async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms for ${condition}`)
    await sleep(intervalMs)
  }
}
