import type { Authentication } from '@svc/client/api'
import { findNearest } from '@svc/documents/nearest'
import { type Command, defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { argument, option } from '../options.ts'
import { readAll } from '../pages.ts'
import { checkFree, printToken } from '../secret-output.ts'
import { timeText } from '../words.ts'

const prefix = 'io.svc.auth.token.'

const idOrName = argument.one('ID-OR-NAME', 'the token', { completes: 'tokens' })
const file = option.filled(
  '-o, --output FILE',
  'a new file for the token, which only you may read',
  {
    completes: 'files',
  },
)

/** What a login of the command line has got is of no use by the name of the token that began its session. */
function nameOf({ metadata }: Authentication): string {
  const machine = metadata['io.svc.auth.cli.name']
  return machine === undefined ? (metadata[`${prefix}name`] ?? '') : `svc login on ${machine}`
}

function listTokens({ api, signal }: Context): Promise<readonly Authentication[]> {
  return readAll(async (pageToken) => {
    const request = { method: 'METHOD_TOKEN', limit: 100, pageToken } as const
    const page = await api.authentications.list(request, { signal })
    return { rows: page.authentications, next: page.nextPageToken }
  })
}

const list = defineCommand({
  name: 'tokens list',
  summary: 'list the static tokens',
  description:
    'Those that have expired are listed as well. The tokens themselves are not known to the service.',
  examples: [
    { line: 'svc tokens list', text: 'when each ends and was last used' },
    { line: 'svc tokens list --json', text: 'one record on each line' },
  ],
  async run(context) {
    const tokens = await listTokens(context)
    context.output.rows(
      tokens,
      [
        { title: 'NAME', cell: nameOf },
        { title: 'NAMESPACE', cell: ({ metadata }) => metadata[`${prefix}namespace`] ?? 'all' },
        { title: 'EXPIRES', cell: ({ expiresAt }) => timeText(expiresAt) || 'never' },
        { title: 'LAST USED', cell: ({ use }) => timeText(use?.lastAt) || 'never' },
        { title: 'ID', cell: ({ id }) => id },
      ],
      'No static tokens: `svc tokens create NAME` makes one.',
    )
  },
})

const create = defineCommand({
  name: 'tokens create',
  summary: 'make a static token for an application or a pipeline',
  description: 'Prints the token alone on stdout. It is shown this once.',
  arguments: { name: argument.one('NAME', 'what it is for') },
  options: {
    description: option.text('--description TEXT', 'more about it'),
    boundTo: option.filled('--bound-to NAMESPACE', 'the only namespace that it is for', {
      completes: 'namespaces',
    }),
    expiresIn: option.duration(
      '--expires-in TIME',
      'when it ends, such as 90d; never unless given',
      {
        minimumMs: 1000,
      },
    ),
    allow: option.list('--allow-address RANGE', 'an address or range that it is accepted from'),
    file,
  },
  examples: [
    { line: 'svc tokens create deploys --expires-in 90d -o deploys.token', text: 'into a file' },
    {
      line: 'svc tokens create shop --bound-to default --allow-address 10.0.0.0/8 > shop.token',
      text: 'for one namespace, from one network',
    },
  ],
  async run(context, { name, description, boundTo, expiresIn, allow, file }) {
    const { api, signal } = context
    await checkFree(file)
    const expiresAt =
      expiresIn === undefined ? undefined : new Date(Date.now() + expiresIn).toISOString()
    const request = { name, description, namespaceKey: boundTo, expiresAt, allowedAddresses: allow }
    await printToken(context, await api.tokens.create(request, { signal }), file)
  },
})

const rotate = defineCommand({
  name: 'tokens rotate',
  summary: 'give a static token a new secret',
  description:
    'Prints the new secret alone on stdout. The present one is refused at once, or after --overlap.',
  arguments: { idOrName },
  options: {
    overlap: option.duration('--overlap TIME', 'how long the present one is still accepted', {
      maximumMs: 30 * 86_400_000,
    }),
    file,
  },
  examples: [
    { line: 'svc tokens rotate ci --overlap 24h -o ci.token', text: 'with a day to bring it out' },
  ],
  async run(context, { idOrName, overlap, file }) {
    const { api, signal } = context
    await checkFree(file)
    const { id } = await findToken(context, idOrName)
    const request = { id, overlap: overlap === undefined ? undefined : `${overlap}ms` }
    await printToken(context, await api.tokens.rotate(request, { signal }), file)
  },
})

const remove = defineCommand({
  name: 'tokens delete',
  summary: 'delete a static token',
  description: 'It is refused from then on, and logins that were made with it end.',
  arguments: { idOrName },
  examples: [{ line: 'svc tokens delete old-ci', text: 'by its name; its id works as well' }],
  async run(context, { idOrName }) {
    const { api, output, signal } = context
    const token = await findToken(context, idOrName)
    await api.authentications.delete({ id: token.id }, { signal })
    output.done(token, () => `token ${nameOf(token)} was deleted`)
  },
})

/** Names need not be unique, and what is about to be deleted is not guessed. */
async function findToken(context: Context, idOrName: string): Promise<Authentication> {
  const tokens = await listTokens(context)
  const found = tokens.filter((token) => token.id === idOrName || nameOf(token) === idOrName)
  const [token, another] = found
  if (token === undefined) {
    const nearest = findNearest(idOrName, tokens.map(nameOf))
    throw new CliError(
      exitCodes.failed,
      `there is no static token "${idOrName}"`,
      nearest === undefined ? '`svc tokens list` lists them.' : `Did you mean "${nearest}"?`,
    )
  }
  if (another === undefined) return token
  const ids = found.map(({ id }) => id).join(', ')
  throw new CliError(
    exitCodes.usage,
    `${found.length} tokens have the name "${idOrName}"`,
    `Give the id of one: ${ids}.`,
  )
}

export const commands: readonly Command[] = [list, create, rotate, remove]
