import type { Change, ChangeItem, ListChangesRequest } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { follow as runFollow } from '../follow.ts'
import { option } from '../options.ts'
import { readAll } from '../pages.ts'
import { changeText, nameOf } from '../plan-text.ts'
import { timeText } from '../words.ts'
import { verify } from './changes-verify.ts'

/** Changes of a page. */
const pageSize = 100
/** Changes that are shown unless told otherwise. */
const defaultLimit = 20
/** Between two questions for what is new, in milliseconds. */
const intervalMs = 2000

const kinds = { flag: 'FLAG_KIND', segment: 'SEGMENT_KIND', namespace: 'NAMESPACE_KIND' } as const

type Filter = Omit<ListChangesRequest, 'after' | 'limit' | 'pageToken'>

const list = defineCommand({
  name: 'changes',
  summary: 'show what was changed in the namespace, by whom and why',
  description: [
    'The newest first. With --after or --follow the oldest first: as they were made, none missing.',
    'With --json a line has one whole change: `svc changes --follow --after REVISION --json` hands all',
    'of them to a log store, and goes on after the last revision that was stored. --documents adds what',
    'each object was before and after, which `svc changes verify --file` needs.',
  ].join(' '),
  options: {
    follow: option.flag('--follow', 'go on, and print changes as they are made'),
    after: option.wholeNumber('--after REVISION', 'only later ones; 0 is the start'),
    kind: option.choice('--kind KIND', 'only those of such objects', [
      'flag',
      'segment',
      'namespace',
    ]),
    key: option.text('--key KEY', 'only those of this flag or segment; needs --kind'),
    actor: option.text('--actor ID', 'only those of this actor'),
    source: option.choice('--source SOURCE', 'only those that came about by this', [
      'api',
      'apply',
      'undo',
      'seed',
    ]),
    since: option.text(
      '--since TIME',
      'only those of this instant and later, such as 2026-11-25T09:00:00Z',
    ),
    until: option.text('--until TIME', 'only those before this instant'),
    documents: option.flag('--documents', 'with the documents before and after; needs --json'),
    limit: option.wholeNumber('--limit COUNT', 'how many of the newest (default: 20)', {
      minimum: 1,
    }),
  },
  examples: [
    { line: 'svc changes', text: 'the last twenty' },
    { line: 'svc changes --kind flag --key checkout --limit 5', text: 'the last five of one flag' },
    { line: 'svc changes --after 0 --json --documents', text: 'all of them, for an archive' },
  ],
  async run(context, given) {
    const filter = toFilter(context, given)
    const print = (change: Change) => printChange(context, change, given.documents)
    if (given.after === undefined) {
      const newest = await readNewest(context, filter, given.limit ?? defaultLimit)
      const changes = given.follow ? newest.toReversed() : newest
      for (const change of changes) await print(change)
      if (newest.length === 0) context.output.note('There are no such changes.')
      if (given.follow) await follow(context, filter, newest[0]?.revision ?? 0, print)
      return
    }
    if (given.follow) return follow(context, filter, given.after, print)
    const last = await readLater(context, filter, given.after, print, given.limit)
    if (last === given.after) context.output.note('There are no such changes.')
  },
})

interface Given {
  readonly kind: keyof typeof kinds | undefined
  readonly key: string | undefined
  readonly actor: string | undefined
  readonly source: string | undefined
  readonly since: string | undefined
  readonly until: string | undefined
  readonly documents: boolean
}

function toFilter({ namespaceKey, output }: Context, given: Given): Filter {
  const { kind, key, actor, source, documents } = given
  if (key !== undefined && kind === undefined) {
    throw new CliError(exitCodes.usage, '--key needs --kind flag or --kind segment')
  }
  if (documents && !output.isJson) {
    throw new CliError(exitCodes.usage, '--documents needs --json: documents are long')
  }
  return {
    ...{ namespaceKey, key, source, documents },
    ...(kind !== undefined && { kind: kinds[kind] }),
    actorId: actor,
    since: toInstant('--since', given.since),
    until: toInstant('--until', given.until),
  }
}

function toInstant(name: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const instant = new Date(given)
  if (!Number.isNaN(instant.getTime())) return instant.toISOString()
  const example = `such as ${new Date(0).toISOString()}`
  throw new CliError(
    exitCodes.usage,
    `${name} takes an instant, ${example}; it was given "${given}"`,
  )
}

function readNewest(
  { api, signal }: Context,
  filter: Filter,
  limit: number,
): Promise<readonly Change[]> {
  return readAll(async (pageToken) => {
    const request = { ...filter, limit: Math.min(limit, pageSize), pageToken }
    const page = await api.changes.list(request, { signal })
    return { rows: page.changes, next: page.nextPageToken }
  }, limit)
}

/** Prints the changes after a revision. @returns the last revision, or `after` when there is none */
async function readLater(
  { api, signal }: Context,
  filter: Filter,
  after: number,
  print: (change: Change) => Promise<void>,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  let last = after
  for (let left = limit; left > 0; ) {
    const request = { ...filter, after: last, limit: Math.min(left, pageSize) }
    const { changes } = await api.changes.list(request, { signal })
    for (const change of changes) {
      await print(change)
      last = change.revision
    }
    if (changes.length === 0) break
    left -= changes.length
  }
  return last
}

/** Goes on until it is interrupted: while the service is unavailable it waits, and says so once. */
async function follow(
  context: Context,
  filter: Filter,
  after: number,
  print: (change: Change) => Promise<void>,
): Promise<void> {
  let last = after
  const printNext = async (change: Change) => {
    await print(change)
    last = change.revision
  }
  await runFollow(context, intervalMs, async () => {
    await readLater(context, filter, last, printNext)
    return false
  })
}

async function printChange(context: Context, change: Change, documents: boolean): Promise<void> {
  const { namespaceKey, output } = context
  if (!output.isJson) return output.row(change, () => textOf(change))
  const items =
    change.items.length < change.itemCount
      ? await readItems(context, change, documents)
      : change.items
  const { nextPageToken: _, ...rest } = change
  output.row({ namespaceKey, ...rest, items }, () => '')
}

/** All items of a change; a list has the first of them only. */
async function readItems(
  { api, namespaceKey, signal }: Context,
  { revision }: Change,
  documents: boolean,
): Promise<readonly ChangeItem[]> {
  const items = await readAll(async (pageToken) => {
    const request = { namespaceKey, revision: `${revision}`, limit: 500, pageToken }
    const page = await api.changes.get(request, { signal })
    return { rows: page.items, next: page.nextPageToken }
  })
  return documents ? items : items.map(({ before: _, after: __, ...item }) => item)
}

/** Objects of one change that are shown, and differences of one object. */
const maxShown = { items: 10, changes: 5 }

function textOf({
  revision,
  at,
  actor,
  source,
  comment,
  items,
  itemCount,
  details,
}: Change): string {
  const by = actor.name || actor.id
  const undone = details?.undoes === undefined ? '' : ` of ${details.undoes}`
  const from = details?.from === undefined ? '' : ` from ${details.from}`
  const head = [
    `${revision}`,
    timeText(at),
    by,
    ...(source === 'api' ? [] : [`${source}${undone}${from}`]),
    ...(comment === '' ? [] : [comment.split('\n')[0] ?? '']),
  ]
  const shown = items.slice(0, maxShown.items)
  const more = itemCount - shown.length
  return [
    head.join(' · '),
    ...shown.map((item) => `    ${itemText(item)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ].join('\n')
}

function itemText(item: ChangeItem): string {
  const name = nameOf(item)
  switch (item.action) {
    case 'CREATED_ACTION':
      return `${name} created`
    case 'DELETED_ACTION':
      return `${name} deleted`
    case 'UNCHANGED_ACTION':
      return name
    case 'UPDATED_ACTION': {
      const shown = item.changes.slice(0, maxShown.changes).map(changeText)
      const more = item.changes.length - shown.length
      return `${name} ${[...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`
    }
  }
}

export const commands: readonly Command[] = [list, verify]
