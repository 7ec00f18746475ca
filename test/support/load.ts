/** Work that arrives at a constant rate, whether or not what came before is done. */
export interface Load {
  /** Ends the arrivals, waits for what is under way, and counts the outcomes. */
  stop(): Promise<Readonly<Record<string, number>>>
}

/** More than this under way at once means that the server has stopped: what comes then is dropped. */
const maxUnderWay = 2000

/** @param work what is done each time; gives the name of its outcome */
export function startLoad(perSecond: number, work: () => Promise<string>): Load {
  const outcomes: Record<string, number> = {}
  const underWay = new Set<Promise<void>>()
  const startedAt = performance.now()
  let due = 0
  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  const timer = setInterval(() => {
    const now = performance.now()
    for (; startedAt + (due * 1000) / perSecond <= now; due++) {
      if (underWay.size >= maxUnderWay) {
        count('dropped')
        continue
      }
      const one = work()
        .then(count, (error: unknown) => count(`threw ${String(error)}`))
        .finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }, 2)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      return outcomes
    },
  }
}
