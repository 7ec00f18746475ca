import { backgroundApi, queryClient } from './api.ts'
import { connection } from './connection.ts'

/** Waits between looks for the server, in milliseconds; the last one again and again. */
const waitsMs = [1000, 2000, 4000, 8000, 15_000]

let timer: ReturnType<typeof setTimeout> | undefined

/** Looks for the server while it does not answer, and reads anew what is shown once it does. */
export function followConnection(): void {
  connection.subscribe(() => {
    const { isOnline } = connection.get()
    if (isOnline && timer !== undefined) {
      clearTimeout(timer)
      timer = undefined
      queryClient.invalidateQueries().catch(() => {})
    } else if (!isOnline && timer === undefined) wait(0)
  })
  addEventListener('online', () => void look())
}

/** Looks now; for a button that says so. */
export async function look(): Promise<void> {
  // Through auth and the resource service. What it answers, and whether, the connection is told.
  await backgroundApi.namespaces.list({ limit: 1 }, { timeoutMs: 5000 }).catch(() => {})
}

function wait(round: number): void {
  const waitMs = waitsMs[Math.min(round, waitsMs.length - 1)] ?? 0
  // Pages that lost the server together do not come back together.
  timer = setTimeout(
    async () => {
      await look()
      if (timer !== undefined && !connection.get().isOnline) wait(round + 1)
    },
    waitMs * (0.75 + Math.random() / 2),
  )
}
