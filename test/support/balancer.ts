import { connect, createServer, type Socket } from 'node:net'
import { listen, type Test } from './listen.ts'

/**
 * A load balancer that does not look at what it passes on: each connection goes to one of the ports in turn, and
 * to another one when it is refused.
 */
export interface Balancer {
  readonly port: number
  has(port: number): boolean
  leave(port: number): void
  enter(port: number): void
  /**
   * Counts the requests that a port has not answered yet, and those that it gets until the count is asked for.
   * A connection has to carry one request at a time.
   */
  countInFlight(port: number): () => number
}

interface Link {
  readonly port: number
  isWaiting: boolean
}

export async function startBalancer(t: Test, ports: readonly number[]): Promise<Balancer> {
  const targets = [...ports]
  const links = new Set<Link>()
  const begun = new Map<number, number>()
  let turn = 0

  const server = createServer(
    { noDelay: true, allowHalfOpen: true, pauseOnConnect: true },
    (near) => {
      near.on('error', () => {})
      const choice = targets.map((_, i) => targets[(turn + i) % targets.length] ?? 0)
      turn += 1
      void connectToAny(choice).then((found) => {
        if (found === undefined || near.destroyed) {
          near.destroy()
          found?.far.destroy()
          return
        }
        join(near, found.far, found.port)
      })
    },
  )

  const join = (near: Socket, far: Socket, port: number) => {
    const link = { port, isWaiting: false }
    links.add(link)
    far.on('error', () => {})
    near.on('close', () => far.destroy())
    far.on('close', () => {
      links.delete(link)
      near.destroy()
    })
    near.on('data', () => {
      if (!link.isWaiting) begun.set(port, (begun.get(port) ?? 0) + 1)
      link.isWaiting = true
    })
    far.on('data', () => {
      link.isWaiting = false
    })
    near.pipe(far).pipe(near)
  }

  return {
    port: await listen(t, server, { backlog: 1024 }),
    has: (port) => targets.includes(port),
    leave(port) {
      const at = targets.indexOf(port)
      if (at >= 0) targets.splice(at, 1)
    },
    enter(port) {
      if (!targets.includes(port)) targets.push(port)
    },
    countInFlight(port) {
      const before = begun.get(port) ?? 0
      const waiting = [...links].filter((link) => link.port === port && link.isWaiting).length
      return () => waiting + (begun.get(port) ?? 0) - before
    },
  }
}

async function connectToAny(ports: readonly number[]) {
  for (const port of ports) {
    const far = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
    const isOpen = await new Promise<boolean>((resolve) => {
      far.once('connect', () => resolve(true))
      far.once('error', () => resolve(false))
    })
    if (isOpen) return { far, port }
  }
  return undefined
}
