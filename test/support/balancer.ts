import { connect, createServer, type Socket } from 'node:net'
import { waitFor } from '@svc/runtime/testing'
import { listen, type Test } from './listen.ts'
import { connectBoth } from './relay.ts'

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
   * Waits until no connection to a port is open, as after the end of its process. A connection has to carry one
   * request at a time.
   *
   * @returns the requests since the last time that had no answer when their connection ended
   */
  countCut(port: number): Promise<number>
}

export async function startBalancer(t: Test, ports: readonly number[]): Promise<Balancer> {
  const targets = [...ports]
  const open = new Map<number, number>()
  const cut = new Map<number, number>()
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
        carry(near, found.far, found.port)
      })
    },
  )

  const carry = (near: Socket, far: Socket, port: number) => {
    let isWaiting = false
    add(open, port, 1)
    near.on('data', () => {
      isWaiting = true
    })
    far.on('data', () => {
      isWaiting = false
    })
    near.on('close', () => {
      add(open, port, -1)
      if (isWaiting) add(cut, port, 1)
    })
    connectBoth(near, far)
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
    async countCut(port) {
      await waitFor(() => (open.get(port) ?? 0) === 0)
      const count = cut.get(port) ?? 0
      cut.delete(port)
      return count
    },
  }
}

function add(counts: Map<number, number>, port: number, change: number): void {
  counts.set(port, (counts.get(port) ?? 0) + change)
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
