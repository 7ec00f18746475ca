import { backoffMs, type Logger } from '@svc/runtime'
import { Redis, type RedisOptions } from 'ioredis'
import { Circuit } from './circuit.ts'
import { sharedLifetimeMs, type TokenCache, type TokenCacheListener } from './token-cache.ts'

/** Longer than an entry lives and the slowest lookup takes to write one. */
const tombstoneSeconds = 120

/** A hundred times what an answer takes. Beyond that the database is the quicker one to ask. */
const usualCommandTimeoutMs = 50

/** KEYS: tombstone, entry. ARGV: entry, lifetime in milliseconds. */
const putScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
end`

/** KEYS: tombstone, entry. ARGV: seconds to stay, channel, hash. */
const revokeScript = `
redis.call('SET', KEYS[1], '1', 'EX', ARGV[1])
redis.call('DEL', KEYS[2])
redis.call('PUBLISH', ARGV[2], ARGV[3])`

export interface RedisCacheOptions {
  readonly url: string
  /** What all keys and channels begin with. */
  readonly prefix: string
  /** How long one command may take. @default 50 */
  readonly commandTimeoutMs?: number
  readonly listener: TokenCacheListener
  readonly log: Logger
}

/**
 * Token lookups in Redis, for all processes. It is an economy and nothing more: whatever is the
 * matter with it, lookups go on without it, after 50 ms at most.
 */
export function openRedisCache(options: RedisCacheOptions): TokenCache {
  const { url, prefix, listener, log, commandTimeoutMs = usualCommandTimeoutMs } = options
  const commands = new Redis(url, {
    ...connectionOptions,
    connectionName: 'auth',
    commandTimeout: commandTimeoutMs,
    socketTimeout: 2000,
  })
  const subscriber = new Redis(url, { ...connectionOptions, connectionName: 'auth subscriber' })
  const channel = `${prefix}:rev`
  // A hash always has 43 characters, so that no two of these are the same.
  const tombstone = (tokenHash: string) => `${prefix}:rev1:${tokenHash}`
  const entry = (tokenHash: string) => `${prefix}:tok2:${tokenHash}`

  const circuit = new Circuit({
    // What requests do, for another command may be allowed where this is not.
    probe: () => commands.get(`${prefix}:probe`),
    onChange(isOpen) {
      if (isOpen) log.warn('Redis does not answer: looking tokens up in the database')
      else log.info('Redis answers again')
    },
  })
  // Without a listener, a connection that fails ends the process. The circuit says what it means.
  commands.on('error', () => {})
  subscriber.on('error', () => {})
  subscriber.on('message', (_channel, tokenHash) => listener.onRevoked(tokenHash))
  subscriber.on('ready', () => {
    // In this order, or what is sent between the two would be missed.
    subscriber.subscribe(channel).then(listener.onGap, () => subscriber.disconnect(true))
  })
  commands.connect().catch(() => {})
  subscriber.connect().catch(() => {})

  return {
    async get(tokenHash) {
      const found = await circuit.run(() => commands.get(entry(tokenHash)).catch(missOnWrongType))
      return found ?? undefined
    },
    async put(tokenHash, text) {
      const keys = [tombstone(tokenHash), entry(tokenHash)]
      await circuit.run(() => commands.eval(putScript, 2, ...keys, text, sharedLifetimeMs))
    },
    async revoke(tokenHashes) {
      const revokeOne = (tokenHash: string) => {
        const keys = [tombstone(tokenHash), entry(tokenHash)]
        return commands.eval(revokeScript, 2, ...keys, tombstoneSeconds, channel, tokenHash)
      }
      await Promise.all(tokenHashes.map((hash) => circuit.run(() => revokeOne(hash))))
    },
    async markOnce(name, lifetimeMs) {
      const key = `${prefix}:once1:${name}`
      return (await circuit.run(() => commands.set(key, '1', 'PX', lifetimeMs, 'NX'))) !== null
    },
    close() {
      circuit.close()
      commands.disconnect()
      subscriber.disconnect()
    },
  }
}

/** Nothing waits for Redis to come back: commands fail at once while it is away. */
const connectionOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  connectTimeout: 500,
  keepAlive: 5000,
  retryStrategy: backoffMs,
  // Behind the same name there may be another server by now.
  reconnectOnError: ({ message }: Error) => /^(READONLY|LOADING|MASTERDOWN)/.test(message),
} satisfies RedisOptions

/** Somebody else has written there, which is no fault of the server. */
function missOnWrongType(error: Error): null {
  if (error.message.startsWith('WRONGTYPE')) return null
  throw error
}
