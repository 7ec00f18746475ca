import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectFault, findFreePort } from '@svc/local/ports'
import { tiedToParent } from '@svc/local/processes'
import { Redis } from 'ioredis'
import { isInstalled, redisPackage } from './system-packages.ts'

export interface LocalRedis {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Ends the server, if it has not ended, also when it was stopped by a signal. */
  stop(): Promise<void>
}

/** For the `skip` of a test that needs a server of its own: a reason where there is none. */
export const redisIsMissing = isInstalled(redisPackage) ? false : 'redis-server is not installed'

/**
 * Starts an empty Redis that keeps nothing, on 127.0.0.1. It ends when this process does.
 *
 * @param options `port` is for one that comes back where another has been; else a free one is taken
 */
export async function startRedis(options: { port?: number } = {}): Promise<LocalRedis> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = options.port ?? (await findFreePort())
    const child = spawnServer(port)
    const ended = once(child, 'exit')
    // Loading nothing takes a tenth of a second; the rest is for a machine that is busy.
    for (let waitedMs = 0; waitedMs < 10_000 && child.exitCode === null; waitedMs += 10) {
      const { pid } = child
      if (
        pid !== undefined &&
        (await connectFault(port)) === undefined &&
        child.exitCode === null
      ) {
        return {
          url: `redis://127.0.0.1:${port}`,
          port,
          pid,
          async stop() {
            // A stopped process heeds no other signal than this one.
            child.kill('SIGKILL')
            await ended
          },
        }
      }
      await sleep(10)
    }
    child.kill('SIGKILL')
  }
  throw new Error(`redis-server does not start on port ${options.port ?? 'of its choice'}`)
}

function spawnServer(port: number) {
  const [program = '', ...args] = [
    ...tiedToParent(),
    'redis-server',
    ...['--port', String(port), '--bind', '127.0.0.1'],
    ...['--save', '', '--appendonly', 'no', '--dir', tmpdir()],
    // A replica writes what it gets to a file, from which other servers with this directory start.
    ...['--repl-diskless-load', 'swapdb', '--dbfilename', `svc-redis-${port}.rdb`],
  ]
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  return child
}

/**
 * Runs one command, over a connection of its own.
 *
 * @returns the parts of the reply, of nested lists too
 * @throws {Error} with what Redis says, when it refuses
 */
export async function redisCommand(
  port: number,
  command: string,
  ...args: readonly string[]
): Promise<string[]> {
  const redis = new Redis(port, '127.0.0.1', {
    commandTimeout: 5000,
    enableReadyCheck: false,
    retryStrategy: () => null,
  })
  redis.on('error', () => {})
  try {
    const reply: unknown = await redis.call(command, ...args)
    return [reply]
      .flat(Infinity)
      .filter((part) => part !== null)
      .map(String)
  } finally {
    redis.disconnect()
  }
}
