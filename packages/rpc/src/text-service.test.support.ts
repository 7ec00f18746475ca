import { pino } from 'pino'
import type { Test } from 'tap'
import { type ChannelOptions, RpcChannel } from './channel.ts'
import type { Handlers, MessageType, ServiceDefinition } from './definition.ts'
import { unprotected } from './protection.ts'
import { RpcServer, type RpcServerOptions } from './server.ts'

export const silentLog = pino({ level: 'silent' })

const text: MessageType<string> = {
  encode: (message) => ({ finish: () => Buffer.from(message) }),
  decode: (bytes) => Buffer.from(bytes).toString(),
}

const method = { requestType: text, requestStream: false, responseType: text } as const

/** A method whose messages are texts. */
export const unary = (name: string) => ({ ...method, name, responseStream: false }) as const
export const streaming = (name: string) => ({ ...method, name, responseStream: true }) as const

/** Serves on loopback for as long as the test runs. @returns its address */
export async function serve<S extends ServiceDefinition, Caller>(
  t: Test,
  definition: S,
  handlers: Handlers<S, Caller>,
  options: Partial<RpcServerOptions<Caller>> = {},
): Promise<string> {
  const server = new RpcServer({ log: silentLog, protection: unprotected, ...options })
  server.add(definition, handlers)
  t.teardown(() => server.close())
  return `127.0.0.1:${await server.listen('127.0.0.1:0')}`
}

export function openChannel(t: Test, address: string, options: Partial<ChannelOptions> = {}) {
  const channel = new RpcChannel(address, { name: 'the echo', ...options })
  t.teardown(async () => channel.close())
  return channel
}
