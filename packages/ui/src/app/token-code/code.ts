import type { Flag } from '@svc/client/api'
import { quote } from '../../data/quote.ts'
import { askFromTerminal, clientCode } from '../../data/terminal.ts'

export interface CodeFor {
  /** Where the service is. */
  readonly url: string
  readonly namespaceKey: string
  readonly flag: Pick<Flag, 'key' | 'type'>
}

/** A command that uses `$SVC_TOKEN`, after the line that sets it. */
export function withToken(secret: string | undefined, command: string): string {
  return secret === undefined ? command : `export SVC_TOKEN=${quote(secret)}\n${command}`
}

/** A program for Node.js that evaluates by itself, and how it is run. */
export function nodeCode({ url, namespaceKey, flag }: CodeFor, secret: string | undefined): string {
  return `// main.mjs, after: npm install @svc/client
// ${runLine(secret)}
${clientCode(url, namespaceKey, flag)}`
}

/** The same by OpenFeature. */
export function openFeatureCode(
  { url, namespaceKey, flag }: CodeFor,
  secret: string | undefined,
): string {
  const call =
    flag.type === 'BOOLEAN_FLAG_TYPE'
      ? `getBooleanValue('${flag.key}', false`
      : `getStringValue('${flag.key}', ''`
  return `// main.mjs
// npm install @openfeature/server-sdk @openfeature/ofrep-provider
// ${runLine(secret)}
import { OFREPProvider } from '@openfeature/ofrep-provider'
import { OpenFeature } from '@openfeature/server-sdk'

await OpenFeature.setProviderAndWait(
  new OFREPProvider({
    baseUrl: '${url}',
    headers: [
      ['Authorization', \`Bearer \${process.env.SVC_TOKEN}\`],
      ['X-Svc-Namespace', '${namespaceKey}'],
    ],
  }),
)
const client = OpenFeature.getClient()
console.log(await client.${call}, { targetingKey: 'user-42' }))
`
}

/** The same question from a terminal. */
export function terminalCode(
  { url, namespaceKey, flag }: CodeFor,
  secret: string | undefined,
): string {
  return withToken(
    secret,
    `${askFromTerminal('evaluate', namespaceKey, flag.key)} --url ${quote(url)}`,
  )
}

function runLine(secret: string | undefined): string {
  return secret === undefined ? 'node main.mjs' : `SVC_TOKEN=${quote(secret)} node main.mjs`
}
