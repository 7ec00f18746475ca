import type { Flag } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import { flagText } from '../documents-text.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { checkNamespace, orSuggest } from '../missing.ts'
import { argument, option } from '../options.ts'
import { readAll } from '../pages.ts'
import { applyHere, tellWrite } from '../writes.ts'
import { copy, create, set } from './flags-writes.ts'
import { defineDelete, defineHistory } from './objects.ts'

const key = argument.one('KEY', 'the flag', { completes: 'flags' })

const typeOf = ({ type }: Pick<Flag, 'type'>) =>
  type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant'

const flagTypes = { boolean: 'BOOLEAN_FLAG_TYPE', variant: 'VARIANT_FLAG_TYPE' } as const

const list = defineCommand({
  name: 'flags list',
  summary: 'list the flags of the namespace',
  options: {
    text: option.text(
      '-q, --text TEXT',
      'only those with this text in their key, name or description',
    ),
    tag: option.list('--tag TAG', 'only those with this tag; with several, with all of them'),
    owner: option.text('--owner NAME', 'only those with this owner'),
    type: option.choice('--type TYPE', 'only those of this type', ['boolean', 'variant']),
    on: option.flag('--on', 'only those that are on'),
    off: option.flag('--off', 'only those that are off'),
  },
  examples: [
    { line: 'svc flags list', text: 'all flags of the namespace' },
    { line: 'svc flags list --off --tag payments', text: 'those with a tag that are off' },
    { line: 'svc flags list --json', text: 'one flag on each line, for jq and others' },
  ],
  async run(context, given) {
    const { api, namespaceKey, output, progress, signal } = context
    if (given.on && given.off) {
      throw new CliError(exitCodes.usage, '--on and --off together leave no flag')
    }
    const filter = {
      namespaceKey,
      q: given.text,
      tags: given.tag,
      owner: given.owner,
      type: given.type && flagTypes[given.type],
      enabled: given.on ? true : given.off ? false : undefined,
    } as const
    const flags = await progress.show('reading flags', (update) =>
      readAll(async (pageToken, count) => {
        update(`${count}`)
        const request = { ...filter, sort: 'key', limit: 1000, pageToken }
        const page = await api.flags.list(request, { signal })
        return { rows: page.flags, next: page.nextPageToken }
      }),
    )
    if (flags.length === 0) await checkNamespace(context)
    output.rows(
      flags,
      [
        { title: 'KEY', cell: ({ key }) => key },
        { title: 'TYPE', cell: typeOf },
        { title: 'STATE', cell: ({ enabled }) => (enabled ? output.style('green', 'on') : 'off') },
        { title: 'NAME', cell: ({ name }) => name },
      ],
      `No flags in ${namespaceKey}${Object.values(given).flat().some(Boolean) ? ' that are meant' : ': `svc flags create KEY` makes one'}.`,
    )
  },
})

const get = defineCommand({
  name: 'flags get',
  summary: 'show a flag with everything in it',
  arguments: { key },
  examples: [
    { line: 'svc flags get checkout', text: 'its rules in words' },
    { line: 'svc flags get checkout --json', text: 'its document, with revision and manager' },
  ],
  async run(context, { key }) {
    const { api, namespaceKey, output, signal } = context
    const call = api.documents.getFlag({ namespaceKey, key }, { signal })
    const stored = await orSuggest(context, 'flags', key, call)
    output.value(stored, () => flagText(stored, output))
  },
})

function defineSwitch(state: 'on' | 'off'): Command {
  return defineCommand({
    name: `flags ${state}`,
    summary: `turn a flag ${state}`,
    description:
      'Waits until every gateway has the change, for three seconds at most, and says how long it took.',
    arguments: { key },
    examples: [
      { line: `svc flags ${state} checkout`, text: 'and say once it is live' },
      {
        line: `svc flags ${state} checkout --comment "incident 311"`,
        text: 'with the reason, for the history',
      },
    ],
    async run(context, { key }) {
      const { api, namespaceKey, output, signal } = context
      const patch = { enabled: state === 'on' }
      const call = applyHere(context, [{ kind: 'FLAG_KIND', key, patch }])
      const result = await orSuggest(context, 'flags', key, call)
      await tellWrite(context, result, key, {
        what: `${key} is ${state} in ${namespaceKey}`,
        unchanged: `${key} was ${state} in ${namespaceKey} already`,
      })
      // The state of a boolean flag is what is served where no rollout matches: a surprise in an incident.
      const minRevision = `${namespaceKey}:${result.revision}`
      const read = api.documents.getFlag({ namespaceKey, key }, { signal, minRevision })
      const rollouts = await read.then(
        ({ flag }) => flag.rollouts.length,
        () => 0,
      )
      if (rollouts > 0) {
        const are = rollouts === 1 ? 'Its rollout comes' : `Its ${rollouts} rollouts come`
        output.note(`${are} before this state: \`svc explain ${key} -e ID\` shows who gets what.`)
      }
    },
  })
}

export const commands: readonly Command[] = [
  list,
  get,
  create,
  defineSwitch('on'),
  defineSwitch('off'),
  set,
  defineDelete({
    name: 'flags delete',
    kind: 'FLAG_KIND',
    noun: 'flag',
    example: 'old-banner',
    completes: 'flags',
  }),
  copy,
  defineHistory({
    name: 'flags history',
    kind: 'FLAG_KIND',
    noun: 'flag',
    example: 'checkout',
    completes: 'flags',
  }),
]
