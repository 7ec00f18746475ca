import { type Command, defineCommand } from '../command.ts'
import { liveText, toLive } from '../live.ts'
import { orSuggest } from '../missing.ts'
import { spanText } from '../words.ts'

const status = defineCommand({
  name: 'status',
  summary: 'show which gateways have the last change of the namespace',
  examples: [
    { line: 'svc status', text: 'each gateway with its revision' },
    { line: 'svc status -n staging --json', text: 'of another namespace, as JSON' },
  ],
  async run(context) {
    const { api, namespaceKey, output, signal } = context
    const call = api.gateways.getPropagation({ namespaceKey }, { signal })
    const propagation = await orSuggest(context, 'namespaces', namespaceKey, call)
    if (output.isJson) {
      output.value(propagation, () => '')
      return
    }
    const { revision, positions } = propagation
    const live = liveText(toLive(propagation))
    output.value(propagation, () => `${namespaceKey} · revision ${revision} · ${live}`)
    output.rows(
      positions,
      [
        { title: 'GATEWAY', cell: ({ id }) => id },
        { title: 'VERSION', cell: ({ version }) => version },
        {
          title: 'REVISION',
          cell: ({ revision }) => (revision === 0 ? 'not known' : `${revision}`),
        },
        { title: 'TOOK', cell: ({ ms }) => (ms === undefined ? '' : spanText(ms)) },
        { title: 'REPORTED', cell: ({ seenMsAgo }) => `${spanText(seenMsAgo)} ago` },
      ],
      'No gateway has reported within the last minute.',
    )
  },
})

export const commands: readonly Command[] = [status]
