import { rename, writeFile } from 'node:fs/promises'
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, type Test } from './listen.ts'
import type { OrchestratorApi } from './orchestrator-api.ts'

/** The part of a kubelet that keeps the token of a service account in a file. */
export interface Kubelet {
  readonly file: string
  /** Every token that was in the file, the present one last. */
  readonly tokens: readonly string[]
}

/** When a kubelet writes a new token, as a part of the life of the one that is there. */
const renewedAfter = 0.8

/**
 * Keeps a token in a file until the test is over, as a kubelet does: a new one stands in its place, at once, when
 * the old one has a fifth of its life before it.
 *
 * @param seconds that each token is good for
 */
export async function startKubelet(
  t: Test,
  api: OrchestratorApi,
  options: {
    readonly file: string
    readonly account: string
    /** @default 'flags' */
    readonly audience?: string
    readonly seconds: number
  },
): Promise<Kubelet> {
  const { file, account, audience = 'flags', seconds } = options
  const tokens: string[] = []
  const stop = new AbortController()
  const write = async () => {
    const token = api.tokenOf(account, { audiences: [audience], seconds })
    await writeFile(`${file}.new`, token, { mode: 0o600 })
    await rename(`${file}.new`, file)
    tokens.push(token)
  }
  await write()
  const ended = (async () => {
    while (!stop.signal.aborted) {
      await sleep(seconds * renewedAfter * 1000, undefined, { signal: stop.signal })
      await write()
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  t.teardown(async () => {
    stop.abort()
    await ended
  })
  return { file, tokens }
}

/** What has passed on the way to the service. */
export interface ExchangeProxy {
  readonly url: string
  /** The exchanges of tokens that have been, with their status. */
  readonly exchanges: readonly { readonly serviceAccountToken: string; readonly status: number }[]
  /** The most exchanges that were under way at once. */
  readonly mostAtOnce: number
  /** Answers with a status of 400 and above, such as `401 GET /internal/…`. */
  readonly refusals: readonly string[]
}

const exchangePath = '/auth/v1/method/orchestrator/serviceaccount'

/** How long an exchange is held up, in milliseconds, so that another one that is not needed would meet it. */
const heldMs = 50

/** A proxy in front of a gateway that counts exchanges. */
export async function startExchangeProxy(t: Test, target: string): Promise<ExchangeProxy> {
  let atOnce = 0
  const proxy = {
    url: '',
    exchanges: [] as { serviceAccountToken: string; status: number }[],
    mostAtOnce: 0,
    refusals: [] as string[],
  }
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const isExchange = url === exchangePath
    const body = Buffer.concat(await request.toArray())
    if (isExchange) {
      atOnce += 1
      proxy.mostAtOnce = Math.max(proxy.mostAtOnce, atOnce)
      await sleep(heldMs)
    }
    const onward = ask(new URL(url, target), { method, headers }, (answer) => {
      const status = answer.statusCode ?? 0
      if (status >= 400) proxy.refusals.push(`${status} ${method} ${url}`)
      if (isExchange) {
        const { serviceAccountToken } = JSON.parse(body.toString())
        proxy.exchanges.push({ serviceAccountToken, status })
      }
      response.writeHead(status, answer.headers)
      answer.pipe(response)
      answer.once('close', () => {
        if (isExchange) atOnce -= 1
        if (!answer.complete) response.destroy()
      })
    })
    onward.once('error', () => response.destroy())
    response.once('close', () => onward.destroy())
    onward.end(body)
  }
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  proxy.url = `http://127.0.0.1:${await listen(t, server)}`
  return proxy
}
