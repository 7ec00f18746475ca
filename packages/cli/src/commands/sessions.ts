import { holderOf } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { argument, option } from '../options.ts'
import { readAll } from '../pages.ts'
import { timeText } from '../words.ts'

const issuer = option.text('--issuer URL', 'only those of this identity provider')
const subject = option.text('--subject ID', 'only those of the person with this id there')

const list = defineCommand({
  name: 'sessions list',
  summary: 'list the logins of people',
  description: 'Those that have expired are listed as well.',
  options: { issuer, subject },
  examples: [
    { line: 'svc sessions list', text: 'of all people' },
    {
      line: 'svc sessions list --issuer https://login.example.com --json',
      text: 'of one provider',
    },
  ],
  async run({ api, output, signal }, given) {
    const sessions = await readAll(async (pageToken) => {
      const page = await api.sessions.list({ ...given, limit: 100, pageToken }, { signal })
      return { rows: page.sessions, next: page.nextPageToken }
    })
    output.rows(
      sessions,
      [
        { title: 'WHO', cell: ({ authentication }) => holderOf(authentication).name },
        { title: 'BEGAN', cell: ({ authentication }) => timeText(authentication.createdAt) },
        { title: 'ENDS', cell: ({ authentication }) => timeText(authentication.expiresAt) },
        { title: 'LAST USED', cell: ({ authentication }) => timeText(authentication.use?.lastAt) },
        { title: 'ID', cell: ({ authentication }) => authentication.id },
      ],
      'No logins.',
    )
  },
})

const remove = defineCommand({
  name: 'sessions delete',
  summary: 'end logins',
  description: 'One by its id, all of a person by --issuer and --subject, or --all.',
  arguments: { id: argument.optional('ID', 'of one, as `svc sessions list` shows it') },
  options: { issuer, subject, all: option.flag('--all', 'all logins of all people') },
  examples: [
    {
      line: 'svc sessions delete --issuer https://login.example.com --subject 248289761001',
      text: 'all of one person',
    },
    { line: 'svc sessions delete --all', text: 'everyone has to log in again' },
  ],
  async run({ api, output, signal }, { id, issuer, subject, all }) {
    const isPerson = issuer !== undefined && subject !== undefined
    const ways = [id !== undefined, isPerson, all].filter(Boolean)
    if (ways.length !== 1 || (issuer === undefined) !== (subject === undefined)) {
      throw new CliError(
        exitCodes.usage,
        'say which logins',
        'Give an ID, or --issuer and --subject, or --all.',
      )
    }
    if (id === undefined) {
      await api.sessions.delete(all ? { all } : { issuer, subject }, { signal })
      output.done({ issuer, subject, all }, () =>
        all ? 'all logins were ended' : `the logins of ${subject} were ended`,
      )
      return
    }
    // The record of a session is deleted as that of a token; what is no session is left alone.
    const sessions = await readAll(async (pageToken) => {
      const page = await api.sessions.list({ limit: 100, pageToken }, { signal })
      return { rows: page.sessions, next: page.nextPageToken }
    })
    if (!sessions.some(({ authentication }) => authentication.id === id)) {
      throw new CliError(
        exitCodes.failed,
        `there is no login with the id "${id}"`,
        '`svc sessions list` lists them.',
      )
    }
    await api.authentications.delete({ id }, { signal })
    output.done({ id }, () => `the login ${id} was ended`)
  },
})

export const commands: readonly Command[] = [list, remove]
