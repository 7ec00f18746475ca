import type { Flag } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import { orSuggest } from '../missing.ts'
import { argument, option } from '../options.ts'
import { readAll } from '../pages.ts'
import { applyHere, tellWrite } from '../writes.ts'

const key = argument.one('KEY', 'the flag', { completes: 'flags' })

const typeOf = ({ type }: Pick<Flag, 'type'>) =>
  type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant'

const list = defineCommand({
  name: 'flags list',
  summary: 'list the flags of the namespace',
  options: {
    text: option.text(
      '-q, --text TEXT',
      'only those with this text in their key, name or description',
    ),
    tag: option.list('--tag TAG', 'only those with this tag'),
  },
  examples: [
    { line: 'svc flags list', text: 'all flags of the namespace' },
    {
      line: 'svc flags list --tag payments --json',
      text: 'those with a tag, one JSON value a line',
    },
  ],
  async run({ api, namespaceKey, output, signal }, { text, tag }) {
    const flags = await readAll(async (pageToken) => {
      const request = { namespaceKey, q: text, tags: tag, sort: 'key', limit: 1000, pageToken }
      const page = await api.flags.list(request, { signal })
      return { rows: page.flags, next: page.nextPageToken }
    })
    output.rows(
      flags,
      [
        { title: 'KEY', cell: ({ key }) => key },
        { title: 'TYPE', cell: typeOf },
        { title: 'STATE', cell: ({ enabled }) => (enabled ? output.style('green', 'on') : 'off') },
        { title: 'NAME', cell: ({ name }) => name },
      ],
      `There are no such flags in ${namespaceKey}.`,
    )
  },
})

const get = defineCommand({
  name: 'flags get',
  summary: 'print a flag with everything in it',
  arguments: { key },
  examples: [{ line: 'svc flags get checkout', text: 'its document, as JSON' }],
  async run(context, { key }) {
    const { api, namespaceKey, output, signal } = context
    const call = api.documents.getFlag({ namespaceKey, key }, { signal })
    const flag = await orSuggest(context, 'flags', key, call)
    output.value(flag, () => JSON.stringify(flag, undefined, 2))
  },
})

function defineSwitch(state: 'on' | 'off'): Command {
  return defineCommand({
    name: `flags ${state}`,
    summary: `turn a flag ${state}`,
    description: `Waits until every gateway has the change, for three seconds at most, and tells how long it took.`,
    arguments: { key },
    examples: [
      { line: `svc flags ${state} checkout`, text: 'and say once it is live' },
      {
        line: `svc flags ${state} checkout --comment "incident 311"`,
        text: 'with the reason, for the history',
      },
    ],
    async run(context, { key }) {
      const { namespaceKey } = context
      const patch = { enabled: state === 'on' }
      const call = applyHere(context, [{ kind: 'FLAG_KIND', key, patch }])
      const result = await orSuggest(context, 'flags', key, call)
      await tellWrite(context, result, key, {
        what: `${key} is ${state} in ${namespaceKey}`,
        unchanged: `${key} was ${state} in ${namespaceKey} already`,
      })
    },
  })
}

export const commands: readonly Command[] = [list, get, defineSwitch('on'), defineSwitch('off')]
