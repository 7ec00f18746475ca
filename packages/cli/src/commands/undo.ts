import { type Command, defineCommand } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { argument, option } from '../options.ts'
import { checkPlanOptions, planOption, planOptions, tellOutcome, withLive } from '../outcome.ts'

const undo = defineCommand({
  name: 'undo',
  summary: 'put back what a change of the namespace changed',
  description: [
    'What was changed since stays: only the members that the change changed get the values from before it.',
    'Where one of these was changed since, nothing is written, and it ends with 4. It is a change of its own,',
    'so it can be undone as well.',
  ].join(' '),
  arguments: { revision: argument.one('REVISION', 'the change, as `svc changes` lists it') },
  options: {
    ...planOptions,
    plan: planOption,
    force: option.flag(
      '--force',
      'set whole objects to what they were, whatever was changed since',
    ),
  },
  examples: [
    { line: 'svc undo 42 --comment "incident 311"', text: 'as a change of its own' },
    { line: 'svc undo 42 --dry-run', text: 'what would change' },
  ],
  async run(context, { revision, dryRun, exitCode, plan, force }) {
    checkPlanOptions({ dryRun, exitCode })
    const { api, namespaceKey, comment, signal } = context
    if (!/^\d{1,16}$/.test(revision)) {
      throw new CliError(
        exitCodes.usage,
        `"${revision}" is no revision: it is a whole number`,
        '`svc changes` lists the changes of the namespace.',
      )
    }
    const request = { namespaceKey, revision, dryRun, force, ...(plan !== undefined && { plan }) }
    const result = await api.documents.undoChange(request, { comment, signal })
    const { items, unchanged } = result
    const planned = { namespaceKey, isNew: false, items, unchanged }
    const namespace = dryRun ? planned : await withLive(context, planned, result.revision)
    const outcome = { isDryRun: dryRun, plan: result.plan, namespaces: [namespace] }
    return tellOutcome(context, outcome, { exitCode })
  },
})

export const commands: readonly Command[] = [undo]
