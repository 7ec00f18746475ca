/** Two signals within this are one: Ctrl-C reaches every process of the terminal, and npm passes it on. */
const sameSignalMs = 400

/**
 * Aborts when this process is asked to end: by a signal, or by the end of its parent. A second signal
 * ends it at once.
 *
 * @param forceExit called before that
 */
export function whenAskedToEnd(forceExit = () => {}): AbortSignal {
  const asked = new AbortController()
  let askedAt = Number.POSITIVE_INFINITY
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (performance.now() - askedAt > sameSignalMs) {
        forceExit()
        process.exit(130)
      }
      askedAt = Math.min(askedAt, performance.now())
      asked.abort()
    })
  }
  // The bootstrap sends nothing over IPC. The channel closes when it is killed.
  process.once('disconnect', () => asked.abort())
  process.channel?.unref()
  return asked.signal
}
