import type { Event } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { follow as runFollow } from '../follow.ts'
import { option } from '../options.ts'
import type { Output } from '../output.ts'
import { readAll } from '../pages.ts'
import { timeText } from '../words.ts'

const pollMs = 1000

const events = defineCommand({
  name: 'events',
  summary: 'show what happened to tokens, logins and sessions',
  description: 'What happened to flags is shown by `svc changes`.',
  options: {
    type: option.text('--type TYPE', 'only those of this type, such as token.created'),
    actor: option.text('--actor ID', 'only those of this actor'),
    subject: option.text('--subject ID', 'only those about this token or login'),
    limit: option.wholeNumber('--limit COUNT', 'the last ones only (default: 20)', { minimum: 1 }),
    follow: option.flag('--follow', 'those to come as well, until Ctrl-C'),
    forTime: option.duration('--for TIME', 'with --follow: end after this time'),
  },
  examples: [
    { line: 'svc events --type token.created', text: 'who made which token' },
    { line: 'svc events --follow --for 2s --json', text: 'for two seconds, one on each line' },
  ],
  async run(context, { type, actor, subject, limit = 20, follow, forTime }) {
    const { api, output, signal } = context
    if (forTime !== undefined && !follow) {
      throw new CliError(exitCodes.usage, '--for is only for --follow')
    }
    const filter = { type, actorId: actor, subjectId: subject }
    const last = await readAll(async (pageToken) => {
      const request = { ...filter, limit: Math.min(limit, 500), pageToken }
      const page = await api.events.list(request, { signal })
      return { rows: page.events, next: page.nextPageToken }
    }, limit)
    const print = (event: Event) => output.row(event, () => eventText(event, output))
    for (const event of last.toReversed()) print(event)
    if (!follow) {
      if (last.length === 0) output.note('No such events.')
      return
    }
    const endsAt = performance.now() + (forTime ?? Number.POSITIVE_INFINITY)
    let after = last[0]?.number ?? 0
    await runFollow(context, pollMs, async () => {
      const page = await api.events.list({ ...filter, after, limit: 500 }, { signal })
      page.events.forEach(print)
      after = page.events.at(-1)?.number ?? after
      return performance.now() >= endsAt
    })
  },
})

function eventText(event: Event, output: Pick<Output, 'style'>): string {
  const { number, at, type, actorId, actorName, subjectId, address, details } = event
  const about = subjectId === '' ? '' : ` ${subjectId}`
  const from = address === '' ? '' : ` from ${address}`
  const more = details === undefined ? '' : ` ${output.style('dim', JSON.stringify(details))}`
  return `${number}  ${timeText(at)}  ${output.style('bold', type)}${about} by ${actorName || actorId}${from}${more}`
}

export const commands: readonly Command[] = [events]
