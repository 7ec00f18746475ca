/** Between two updates: on a terminal they replace each other, in a file each is a line. */
const usual = { stream: process.stderr, terminalMs: 1000, fileMs: 15_000 }

/** Says on standard error what goes on, how far it has come, and how long it took. */
export function startStep({ doing, done }, options = {}) {
  const { stream, terminalMs, fileMs } = { ...usual, ...options }
  const isTerminal = stream.isTTY === true && process.env.TERM !== 'dumb'
  const startedAt = performance.now()
  const seconds = (digits) => `${((performance.now() - startedAt) / 1000).toFixed(digits)} s`
  let count = ''
  const update = () => {
    const state = `${count}${seconds(0)}`
    stream.write(isTerminal ? `\r\u001b[Ksvc: ${doing}… ${state}` : `svc: ${doing}: ${state}\n`)
  }
  stream.write(`svc: ${doing}…${isTerminal ? '' : '\n'}`)
  const timer = setInterval(update, isTerminal ? terminalMs : fileMs).unref()
  const clear = () => {
    clearInterval(timer)
    if (isTerminal) stream.write('\r\u001b[K')
  }
  return {
    /** Takes what the step has written so far: pnpm counts packages in it. */
    see(output) {
      const last = [...output.matchAll(/Progress: resolved (\d+),.* added (\d+)/g)].at(-1)
      if (last !== undefined) count = `${last[2]} of ${last[1]}, `
    },
    end() {
      clear()
      stream.write(`svc: ${done} in ${seconds(1)}\n`)
    },
    fail: clear,
  }
}
