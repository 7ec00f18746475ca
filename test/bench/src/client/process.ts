// A client in a process of its own, as an application has it: how long until it is ready, what it takes, and
// for how long it holds the event loop when all flags change.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type LocalFlags } from '@svc/client'

export interface ClientTask {
  readonly url: string
  readonly token: string
  readonly namespaceKey: string
  readonly file: string
  /** Every one of them is evaluated once. */
  readonly flagKeys: readonly string[]
}

export interface Ready {
  readonly readyMs: number
  readonly bytesPerFlag: number
}

export interface Changed {
  /** In processor time of the thread: the wait for a processor does not count. */
  readonly longestTurnMs: number
}

const subject = { entityId: 'user-42', context: { country: 'DE', plan: 'pro' } }

/** The parent process has ended. */
process.on('disconnect', () => process.exit())

async function main(): Promise<void> {
  const [task] = (await once(process, 'message')) as [ClientTask]
  const { url, token, namespaceKey: namespace, file, flagKeys } = task
  const before = await heapBytes()
  const startedAt = performance.now()
  // Longer than usual, for a machine that does much else: what it takes is measured here.
  const flags = await connect({
    url,
    namespace,
    credential: { token },
    lastKnownGood: file,
    readyTimeoutMs: 60_000,
  })
  const readyMs = performance.now() - startedAt
  await kept(file, flags.revision)
  for (const key of flagKeys) flags.evaluate(key, subject)
  const bytesPerFlag = ((await heapBytes()) - before) / flagKeys.length
  const told = once(process, 'message') as Promise<[{ revision: number }]>
  process.send?.({ readyMs, bytesPerFlag } satisfies Ready)
  const [{ revision }] = await told
  const longestTurnMs = await longestTurnDuring(() => takeIn(flags, namespace, revision))
  await kept(file, revision)
  process.send?.({ longestTurnMs } satisfies Changed)
}

async function takeIn(flags: LocalFlags, namespace: string, revision: number): Promise<void> {
  await flags.waitFor(`${namespace}:${revision}`, { timeoutMs: 120_000 })
  // Writes what there is, which it would do within a minute.
  await flags.close()
}

/** Resolves when the file has a revision. */
async function kept(file: string, revision: number): Promise<void> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; ) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.includes(`{"revision":${revision},`)) return
    await sleep(100)
  }
  throw new Error(`revision ${revision} was not written to ${file}`)
}

async function longestTurnDuring(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let isOver = false
  let last = usedMs()
  const tick = () => {
    const now = usedMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  isOver = true
  return longest
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

async function heapBytes(): Promise<number> {
  // Buffers go some turns after the object that had them.
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.()
    await sleep(20)
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

main().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
