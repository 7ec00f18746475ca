import type { Change, ChangeItem, ObjectKind } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { orSuggest } from '../missing.ts'
import { argument, option } from '../options.ts'
import { readAll } from '../pages.ts'
import { changeText } from '../plan-text.ts'
import { timeText } from '../words.ts'
import { applyHere, tellWrite } from '../writes.ts'

/** What is the same for flags and segments. */
interface ObjectCommand {
  readonly name: string
  readonly kind: Extract<ObjectKind, 'FLAG_KIND' | 'SEGMENT_KIND'>
  readonly noun: 'flag' | 'segment'
  /** A key for the examples. */
  readonly example: string
  readonly completes: 'flags' | 'segments'
}

export function defineDelete({ name, kind, noun, example, completes }: ObjectCommand): Command {
  return defineCommand({
    name,
    summary: `delete a ${noun}`,
    description: `One that does not exist is no error. \`svc undo REVISION\` brings it back.${noun === 'segment' ? ' One that a flag uses is not deleted.' : ''}`,
    arguments: { key: argument.one('KEY', `the ${noun}`, { completes }) },
    examples: [{ line: `svc ${name} ${example}`, text: 'with everything in it' }],
    async run(context, { key }) {
      const { namespaceKey } = context
      const call = applyHere(context, [{ kind, key, delete: true }])
      const result = await orSuggest(context, 'namespaces', namespaceKey, call)
      await tellWrite(context, result, key, {
        what: `${key} was deleted from ${namespaceKey}`,
        unchanged: `${key} is not in ${namespaceKey}: nothing was deleted`,
      })
    },
  })
}

export function defineHistory({ name, kind, noun, example, completes }: ObjectCommand): Command {
  return defineCommand({
    name,
    summary: `show who changed a ${noun}, when, why and what`,
    arguments: { key: argument.one('KEY', `the ${noun}`, { completes }) },
    options: {
      limit: option.wholeNumber('--limit COUNT', 'the last changes only (default: 20)', {
        minimum: 1,
      }),
    },
    examples: [
      { line: `svc ${name} ${example}`, text: 'the last twenty changes, the newest first' },
      {
        line: `svc ${name} ${example} --limit 1 --json`,
        text: 'the last one, with each difference',
      },
    ],
    async run({ api, namespaceKey, output, signal }, { key, limit = 20 }) {
      const changes = await readAll(async (pageToken) => {
        const request = { namespaceKey, kind, key, limit: Math.min(limit, 500), pageToken }
        const page = await api.changes.list(request, { signal })
        return { rows: page.changes, next: page.nextPageToken }
      }, limit)
      if (changes.length === 0) {
        throw new CliError(
          exitCodes.failed,
          `there are no changes of a ${noun} "${key}" in ${namespaceKey}`,
          `\`svc ${noun}s list\` lists the ${noun}s.`,
        )
      }
      const itemOf = ({ items }: Change) =>
        items.find((item) => item.key === key && item.kind === kind)
      output.rows(
        changes,
        [
          { title: 'REVISION', cell: ({ revision }) => `${revision}` },
          { title: 'AT', cell: ({ at }) => timeText(at) },
          { title: 'BY', cell: ({ actor }) => actor.name || actor.id },
          { title: 'WHAT', cell: (change) => itemText(itemOf(change)) },
          { title: 'COMMENT', cell: ({ comment }) => comment },
        ],
        '',
      )
    },
  })
}

/** More differences than these are counted. */
const shownChanges = 3

function itemText(item: ChangeItem | undefined): string {
  if (item === undefined) return ''
  switch (item.action) {
    case 'CREATED_ACTION':
      return 'created'
    case 'DELETED_ACTION':
      return 'deleted'
    case 'UPDATED_ACTION': {
      const shown = item.changes.slice(0, shownChanges).map(changeText)
      const more = item.changes.length - shown.length
      return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
    }
    case 'UNCHANGED_ACTION':
      return 'another manager'
  }
}
