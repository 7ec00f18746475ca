import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, type Test } from './listen.ts'

/** What is wrong with a link. */
export type Fault =
  | 'none'
  /** Every connection is reset, those that are open and those that are tried. */
  | 'cut'
  /** The same with a clean end, as when a process ends in good order. */
  | 'close'
  /** Connections that are tried are reset; those that are open stay. */
  | 'drop'
  /** Connections are taken, but neither bytes nor ends pass. Nothing is lost: later they do. */
  | 'freeze'
  /** The same, but the connections that were open or tried meanwhile stay silent for good. */
  | 'lose'
  | { readonly delayMs?: number; readonly bytesPerSecond?: number }

/** One link between two processes, with faults that are switched while it is in use. */
export interface FaultProxy {
  /** Where to connect to instead of the target. */
  readonly address: string
  /** Takes effect at once, on connections that are open, too. */
  set(fault: Fault): void
  /** Connects to another port of 127.0.0.1 from now on, as after a failover. Open connections stay. */
  redirect(targetPort: number): void
}

/** Passes on to a port of 127.0.0.1, at first without faults. It holds a few chunks a connection. */
export async function startFaultProxy(t: Test, targetPort: number): Promise<FaultProxy> {
  const links = new Set<Link>()
  let target = targetPort
  const weather = new Weather()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const link = new Link(near, weather)
    links.add(link)
    void link.open(target).then(() => links.delete(link))
  })
  const port = await listen(t, server)
  t.teardown(async () => {
    for (const link of links) link.reset()
  })
  return {
    address: `127.0.0.1:${port}`,
    set(fault) {
      weather.turn(fault)
      for (const link of links) link.suffer(fault)
    },
    redirect(port) {
      target = port
    },
  }
}

class Weather {
  fault: Fault = 'none'
  #changed = Promise.withResolvers<void>()

  turn(fault: Fault): void {
    this.fault = fault
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  /** Resolves when something passes again. */
  async thaw(): Promise<void> {
    while (this.fault === 'freeze' || this.fault === 'lose') await this.#changed.promise
  }
}

/** A connection from the one who came, and ours to the target. */
class Link {
  readonly #near: Socket
  readonly #weather: Weather
  #far: Socket | undefined
  #isLost = false

  constructor(near: Socket, weather: Weather) {
    this.#near = near
    this.#weather = weather
    if (weather.fault === 'drop') this.reset()
    else this.suffer(weather.fault)
  }

  /** Resolves when both connections have ended. */
  async open(targetPort: number): Promise<void> {
    const near = this.#near
    const nearClosed = closed(near)
    await Promise.race([this.#weather.thaw(), nearClosed])
    if (!this.#isLost && !near.destroyed) {
      const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
      this.#far = far
      for (const socket of [near, far]) socket.setNoDelay()
      await Promise.all([closed(far), this.#pass(near, far), this.#pass(far, near)])
    }
    await nearClosed
  }

  suffer(fault: Fault): void {
    if (fault === 'lose') this.#isLost = true
    if (fault === 'cut') this.reset()
    if (fault === 'close') {
      this.#near.destroy()
      this.#far?.destroy()
    }
  }

  reset(): void {
    reset(this.#near)
    if (this.#far !== undefined) reset(this.#far)
  }

  /** Reads on when what was read has been written, so a sender that is not read has to wait. */
  async #pass(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) await this.#write(chunk, to)
      await this.#weather.thaw()
      if (!this.#isLost) to.end()
    } catch {
      await this.#weather.thaw()
      if (!this.#isLost) reset(to)
    }
  }

  async #write(chunk: Buffer, to: Socket): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      await this.#weather.thaw()
      if (this.#isLost) return
      const { fault } = this.#weather
      const { delayMs = 0, bytesPerSecond } = typeof fault === 'object' ? fault : {}
      // In small pieces, so that a change of the fault is felt soon.
      const size = bytesPerSecond === undefined ? rest.length : Math.ceil(bytesPerSecond / 20)
      const waitMs = bytesPerSecond === undefined ? delayMs : 50
      if (waitMs > 0) await sleep(waitMs)
      const piece = rest.subarray(0, size)
      await new Promise<void>((resolve) => to.write(piece, () => resolve()))
      rest = rest.subarray(size)
    }
  }
}

/** A socket that was ended (FIN) can no longer be reset. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on('error', () => {}).once('close', () => resolve()))
}
