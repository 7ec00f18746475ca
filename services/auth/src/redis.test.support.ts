import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { Redis } from 'ioredis'
import type { Test } from 'tap'

/** A name that no other test uses, on the server that all tests share. */
export function randomPrefix(): string {
  return `test-${randomBytes(8).toString('hex')}`
}

export function sharedRedisUrl(): string {
  const url = process.env.SVC_TEST_REDIS_URL
  if (url === undefined) throw new Error('SVC_TEST_REDIS_URL is not set: run npm test')
  return url
}

/** A client, of the shared server by default, for looking at what is there and spoiling it. */
export async function openRedis(t: Test, url = sharedRedisUrl()): Promise<Redis> {
  const redis = new Redis(url, { lazyConnect: true })
  await redis.connect()
  t.teardown(() => redis.disconnect())
  return redis
}

export interface OwnRedis {
  readonly url: string
  readonly port: number
  start(): Promise<void>
  signal(name: NodeJS.Signals): void
  kill(): Promise<void>
}

/** A server of the test's own, to be stopped, killed and started again. */
export async function startOwnRedis(t: Test): Promise<OwnRedis> {
  const port = await freePort()
  let server: ChildProcess | undefined
  const kill = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  const start = async () => {
    const options = {
      ...{ port, bind: '127.0.0.1', save: '', appendonly: 'no' },
      // A replica takes what it gets into memory at once, and writes no file.
      ...{ 'repl-diskless-load': 'swapdb', 'repl-diskless-sync-delay': 0 },
    }
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
    server = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const output of server.stdout ?? []) {
      if (String(output).includes('Ready to accept connections')) break
    }
  }
  t.teardown(kill)
  await start()
  return {
    url: `redis://127.0.0.1:${port}/0`,
    port,
    start,
    kill,
    signal: (name) => void server?.kill(name),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** An address whose connections go to a server, and after a while those that are new to another one. */
export interface MovingAddress {
  readonly url: string
  /** Open connections stay. */
  moveTo(port: number): void
}

export async function startMovingAddress(t: Test, targetPort: number): Promise<MovingAddress> {
  let target = targetPort
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `redis://127.0.0.1:${port}/0`,
    moveTo(port) {
      target = port
    },
  }
}
