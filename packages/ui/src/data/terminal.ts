import type { Flag } from '@svc/client/api'
import { quote } from './quote.ts'

/** Whom a flag is asked for in an example. */
export const exampleEntity = 'user-42'

/** A command of the command line in a namespace, such as `svc undo 42 -n shop`. */
export function svc(namespaceKey: string | undefined, ...words: readonly string[]): string {
  // Always with its name: a profile may have another one.
  const all = namespaceKey === undefined ? words : [...words, '-n', namespaceKey]
  return ['svc', ...all.map(word)].join(' ')
}

/** Asks what a flag serves, or why. */
export function askFromTerminal(
  verb: 'evaluate' | 'explain',
  namespaceKey: string,
  flagKey: string,
  entityId = exampleEntity,
  context: Readonly<Record<string, unknown>> = {},
): string {
  const known = Object.entries(context).flatMap(([name, value]) => [
    '-c',
    `${name}=${textOf(value)}`,
  ])
  return svc(namespaceKey, verb, flagKey, '-e', entityId, ...known)
}

/** Three lines of an application of Node.js: it evaluates by itself. */
export function clientCode(
  url: string,
  namespaceKey: string,
  { key, type }: Pick<Flag, 'key' | 'type'>,
  otherwise = '',
): string {
  const namespace = namespaceKey === 'default' ? '' : `, namespace: ${JSON.stringify(namespaceKey)}`
  const call =
    type === 'BOOLEAN_FLAG_TYPE'
      ? `boolean(${JSON.stringify(key)}, { entityId: '${exampleEntity}' }, false)`
      : `variant(${JSON.stringify(key)}, { entityId: '${exampleEntity}' }, ${JSON.stringify(otherwise)})`
  return `import { connect } from '@svc/client'
const flags = await connect({ url: '${url}'${namespace}, credential: { token: process.env.SVC_TOKEN } })
console.log(flags.${call})
`
}

/** What needs no quotes stands without. */
function word(text: string): string {
  return /^[\w.,:=@/-]+$/.test(text) ? text : quote(text)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
