import { backoffMs, type Logger } from '@svc/runtime'
import { Redis, type RedisOptions } from 'ioredis'
import type { Hash } from '../records/token.ts'
import { Circuit } from './circuit.ts'

/** A cache of token lookups that all processes share. Its methods never reject. */
export interface TokenCache {
  /** The entry is untrusted: any client of the cache may have written it. */
  get(tokenHash: Hash): Promise<string | undefined>
  /** Does nothing for a token that was revoked within two minutes. */
  put(tokenHash: Hash, entry: string): Promise<void>
  /** Notifies the other processes. Revocations also travel through the database. */
  revoke(tokenHashes: readonly Hash[]): Promise<void>
  /** @returns whether this is the first claim of the name; also when the cache is unavailable */
  claim(name: string, lifetimeMs: number): Promise<boolean>
  /** Makes a claim last for as long from now on, also one that has lapsed. */
  extend(name: string, lifetimeMs: number): Promise<void>
  /** Deletes the claim of a name. While the cache is unavailable the claim stays, for its lifetime. */
  release(name: string): Promise<void>
  close(): void
}

/** Receives the messages of other processes. */
export interface TokenCacheListener {
  /** Earlier lookups of the token are outdated. */
  readonly onRevoked: (tokenHash: Hash) => void
  /** Messages may have been missed: earlier lookups of any token may be outdated. */
  readonly onGap: () => void
}

/** In place of a shared cache where none is configured. */
export const noTokenCache: TokenCache = {
  get: async () => undefined,
  put: async () => {},
  revoke: async () => {},
  claim: async () => true,
  extend: async () => {},
  release: async () => {},
  close: () => {},
}

/** Lifetime of an entry, in milliseconds. */
export const sharedLifetimeMs = 30_000

/** Lifetime of a tombstone: longer than an entry lives plus the slowest lookup takes to write it. */
const tombstoneSeconds = 120

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
  /** Prefix of all keys and channels. */
  readonly prefix: string
  /**
   * Time limit of a command, in milliseconds: a hundred times the usual. Beyond it the database
   * answers sooner.
   * @default 50
   */
  readonly commandTimeoutMs?: number
  readonly listener: TokenCacheListener
  readonly log: Logger
}

/**
 * Token lookups in Redis, for all processes. An optimization only: when Redis fails, lookups continue
 * without it, after 50 ms at most.
 */
export function openRedisCache(options: RedisCacheOptions): TokenCache {
  const { url, prefix, listener, log, commandTimeoutMs = 50 } = options
  const commands = new Redis(url, {
    ...connectionOptions,
    connectionName: 'auth',
    commandTimeout: commandTimeoutMs,
    socketTimeout: 2000,
  })
  const subscriber = new Redis(url, { ...connectionOptions, connectionName: 'auth subscriber' })
  const channel = `${prefix}:rev`
  // A hash always has 43 characters, so no two of these collide.
  const tombstone = (tokenHash: Hash) => `${prefix}:rev1:${tokenHash}`
  const entry = (tokenHash: Hash) => `${prefix}:tok2:${tokenHash}`
  const once = (name: string) => `${prefix}:once1:${name}`

  const circuit = new Circuit({
    onChange(isOpen) {
      if (isOpen) log.warn('Redis does not answer: looking tokens up in the database')
      else log.info('Redis answers again')
    },
  })
  // Without a listener, a failed connection ends the process. The circuit logs the failure.
  commands.on('error', () => {})
  subscriber.on('error', () => {})
  subscriber.on('message', (_channel, tokenHash) => listener.onRevoked(tokenHash as Hash))
  subscriber.on('ready', () => {
    // Subscribes first: a message sent between the two would be missed.
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
      const revokeOne = (tokenHash: Hash) => {
        const keys = [tombstone(tokenHash), entry(tokenHash)]
        return commands.eval(revokeScript, 2, ...keys, tombstoneSeconds, channel, tokenHash)
      }
      await Promise.all(tokenHashes.map((hash) => circuit.run(() => revokeOne(hash))))
    },
    async claim(name, lifetimeMs) {
      const set = () => commands.set(once(name), '1', 'PX', lifetimeMs, 'NX')
      return (await circuit.run(set)) !== null
    },
    async extend(name, lifetimeMs) {
      await circuit.run(() => commands.set(once(name), '1', 'PX', lifetimeMs))
    },
    async release(name) {
      await circuit.run(() => commands.del(once(name)))
    },
    close() {
      commands.disconnect()
      subscriber.disconnect()
    },
  }
}

/** Commands fail at once while Redis is unavailable; none is queued. */
const connectionOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  connectTimeout: 500,
  keepAlive: 5000,
  retryStrategy: backoffMs,
  // A failover may have put another server behind the same name.
  reconnectOnError: ({ message }: Error) => /^(READONLY|LOADING|MASTERDOWN)/.test(message),
} satisfies RedisOptions

/** Another client has written the key; the server itself is healthy. */
function missOnWrongType(error: Error): null {
  if (error.message.startsWith('WRONGTYPE')) return null
  throw error
}
