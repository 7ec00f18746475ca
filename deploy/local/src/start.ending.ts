const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Ctrl-C reaches every process of the terminal, and npm may pass it on to us once more. */
const sameSignalMs = 400

/**
 * Resolves when this process is asked to end: by a signal, or because whoever started it is gone.
 *
 * @param hurry called when it is asked again while it ends; then this process ends at once
 */
export function whenAskedToEnd(hurry: () => void): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of signals) {
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt > sameSignalMs) {
          hurry()
          process.exit(130)
        }
        askedAt ??= performance.now()
        resolve()
      })
    }
    // The bootstrap talks to us over IPC only to be missed when it is killed.
    process.once('disconnect', resolve)
    process.channel?.unref()
  })
}
