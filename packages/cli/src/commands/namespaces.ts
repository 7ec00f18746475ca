import type { AnswerInfo } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { orSuggest } from '../missing.ts'
import { argument, option } from '../options.ts'
import { readAll } from '../pages.ts'
import { countText } from '../words.ts'

const key = argument.one('KEY', 'the namespace', { completes: 'namespaces' })

const list = defineCommand({
  name: 'ns list',
  summary: 'list the namespaces',
  examples: [
    { line: 'svc ns list', text: 'with how much each holds' },
    { line: 'svc ns list --json', text: 'one namespace on each line' },
  ],
  async run({ api, output, signal }) {
    const namespaces = await readAll(async (pageToken) => {
      const page = await api.namespaces.list(
        { view: 'SUMMARY', limit: 1000, pageToken },
        { signal },
      )
      return { rows: page.namespaces, next: page.nextPageToken }
    })
    output.rows(
      namespaces,
      [
        { title: 'KEY', cell: ({ key }) => key },
        { title: 'FLAGS', cell: ({ flagCount = 0 }) => `${flagCount}` },
        { title: 'SEGMENTS', cell: ({ segmentCount = 0 }) => `${segmentCount}` },
        { title: 'NAME', cell: ({ name }) => name },
      ],
      'No namespaces.',
    )
  },
})

const members = {
  name: option.text('--name NAME', 'for people'),
  description: option.text('--description TEXT', 'what it is for'),
  color: option.text('--color NAME', 'its colour in the interface'),
  confirm: option.choice(
    '--confirm YES-OR-NO',
    'whether the interface asks before a change of what is served in it',
    ['yes', 'no'],
  ),
}

const create = defineCommand({
  name: 'ns create',
  summary: 'create a namespace',
  arguments: { key: argument.one('KEY', 'letters, digits, -, _ and ,') },
  options: members,
  examples: [
    { line: 'svc ns create mobile --name "Mobile apps"', text: 'an empty one' },
    { line: 'svc ns create live --color red --confirm yes', text: 'one to be careful in' },
  ],
  async run({ api, comment, output, signal }, { key, name = key, confirm, ...given }) {
    const request = { key, name, ...given, confirm: confirm && confirm === 'yes' }
    const namespace = await api.namespaces.create(request, { comment, signal })
    output.done(namespace, () => `namespace ${key} was created`)
  },
})

const set = defineCommand({
  name: 'ns set',
  summary: 'change members of a namespace',
  description: 'What is not given stays as it is.',
  arguments: { key },
  options: members,
  examples: [{ line: 'svc ns set staging --description "Before release"', text: 'one member' }],
  async run(context, { key, confirm, ...given }) {
    const { api, comment, output, signal } = context
    if (confirm === undefined && Object.values(given).every((value) => value === undefined)) {
      throw new CliError(
        exitCodes.usage,
        'nothing is given to change',
        '`svc ns set -h` lists what can be.',
      )
    }
    let info: AnswerInfo | undefined
    const read = api.namespaces.get(
      { key },
      {
        signal,
        onAnswer(answer) {
          info = answer
        },
      },
    )
    const { name, description } = await orSuggest(context, 'namespaces', key, read)
    const request = {
      key,
      name: given.name ?? name,
      description: given.description ?? description,
      color: given.color,
      confirm: confirm && confirm === 'yes',
    }
    const options = { ifMatch: info?.etag, comment, signal }
    const namespace = await api.namespaces.update(request, options)
    output.done(namespace, () => `namespace ${key} was changed`)
  },
})

const remove = defineCommand({
  name: 'ns delete',
  summary: 'delete a namespace',
  description:
    'One that holds flags is deleted only with --force; at a terminal that is asked first. `svc undo` brings it back.',
  arguments: { key },
  options: {
    force: option.flag('--force', 'with everything in it'),
    yes: option.flag('-y, --yes', 'do not ask'),
  },
  examples: [
    { line: 'svc ns delete old', text: 'an empty one' },
    { line: 'svc ns delete staging --force --yes', text: 'with all its flags and segments' },
  ],
  async run(context, { key, force, yes }) {
    const { api, comment, output, prompts, signal } = context
    const read = api.namespaces.get({ key, view: 'SUMMARY' }, { signal })
    const { flagCount = 0, segmentCount = 0 } = await orSuggest(context, 'namespaces', key, read)
    if (force && !yes && prompts.canAsk) {
      const question = `Delete ${key} with ${countText(flagCount, 'flag')} and ${countText(segmentCount, 'segment')}?`
      if (!(await prompts.confirm(question, 'Give --yes.'))) {
        throw new CliError(exitCodes.failed, 'nothing was deleted')
      }
    }
    if (flagCount > 0 && !force) {
      throw new CliError(
        exitCodes.failed,
        `namespace "${key}" holds ${countText(flagCount, 'flag')}`,
        `\`svc ns delete ${key} --force\` deletes it with everything in it.`,
      )
    }
    await api.namespaces.delete({ key, force }, { comment, signal })
    output.done({ key, flagCount, segmentCount }, () => `namespace ${key} was deleted`)
  },
})

export const commands: readonly Command[] = [list, create, set, remove]
