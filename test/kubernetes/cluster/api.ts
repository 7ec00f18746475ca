import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:https'

/** Longer than an answer takes on a busy machine; the caller asks again anyway. */
const timeoutMs = 5000

/** What is read of an object of the cluster. */
export interface ClusterObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
}

/** Reads by HTTPS as the administrator of the cluster. @returns the body of a 200 */
export type Read = (url: string) => Promise<string>

/** @param pki the folder of the cluster's certificates */
export function openReader(pki: string): Read {
  const agent = new Agent({
    keepAlive: true,
    cert: readFileSync(`${pki}/admin.crt`),
    key: readFileSync(`${pki}/admin.key`),
    // A kubelet has a certificate of its own making.
    rejectUnauthorized: false,
  })
  return (url) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs)
      const request = get(url, { agent, signal }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${url}: ${response.statusCode}`))
        })
      })
      request.on('error', reject)
    })
}

/** @param path such as `/api/v1/pods` */
export async function list<T>(read: Read, server: string, path: string): Promise<readonly T[]> {
  const { items } = JSON.parse(await read(server + path)) as { readonly items: readonly T[] }
  return items
}
