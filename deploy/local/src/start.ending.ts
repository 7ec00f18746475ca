const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Two signals within this are one: Ctrl-C reaches every process of the terminal, and npm passes it on. */
const sameSignalMs = 400

/**
 * Resolves when this process is asked to end: by a signal, or by the end of its parent.
 *
 * @param forceExit called at a second signal; then this process ends at once
 */
export function whenAskedToEnd(forceExit: () => void): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of signals) {
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt > sameSignalMs) {
          forceExit()
          process.exit(130)
        }
        askedAt ??= performance.now()
        resolve()
      })
    }
    // The bootstrap sends nothing over IPC. The channel closes when it is killed.
    process.once('disconnect', resolve)
    process.channel?.unref()
  })
}
