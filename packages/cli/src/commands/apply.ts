import type { NamespaceOperations } from '@svc/documents/files'
import { applyOrShow, planOperations } from '../apply-documents.ts'
import { type Command, defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, type ExitCode, exitCodes } from '../exit-codes.ts'
import type { PlaceOf } from '../files/file-errors.ts'
import { argument, option } from '../options.ts'
import { checkPlanOptions, planOption, planOptions, tellOutcome } from '../outcome.ts'
import { hasChanges } from '../plan-text.ts'

const files = argument.many('FILE', 'a file, a folder with files, or - for stdin', {
  completes: 'files',
})

const diff = defineCommand({
  name: 'diff',
  summary: 'show what `svc apply` would change',
  description:
    'Ends with 3 when there are differences, and with 0 when there are none. Nothing is written.',
  arguments: { files },
  examples: [
    {
      line: 'svc diff flags.yml',
      text: 'what differs from the file',
      exitCode: exitCodes.differences,
    },
  ],
  async run(context, { files }) {
    return withFiles(context, files, {}, async (changes) => {
      const planned = await planOperations(context, changes)
      await planned.discard()
      const { planHash } = await import('../sync/operations.ts')
      const plan = planHash(changes, planned.plans)
      const outcome = { isDryRun: true, plan, namespaces: planned.plans }
      tellOutcome(context, outcome)
      return planned.plans.some(hasChanges) ? exitCodes.differences : exitCodes.done
    })
  },
})

const apply = defineCommand({
  name: 'apply',
  summary: 'set what is in files',
  description: [
    'Flags and segments of the files are made or replaced, in all namespaces in one transaction; all others',
    'stay. Namespaces that do not exist are made first. To delete what files have no more, use `svc sync`; to',
    'be told of objects that exist, use `svc import`.',
  ].join(' '),
  arguments: { files },
  options: {
    manager: option.filled('--manager NAME', 'who keeps these objects from now on'),
    takeOver: option.flag('--take-over', 'with --manager: take over what another manager keeps'),
    ...planOptions,
    plan: planOption,
  },
  examples: [
    { line: 'svc apply flags.yml --dry-run', text: 'what would change' },
    { line: 'svc apply flags.yml --comment "as agreed"', text: 'and do it' },
  ],
  async run(context, { files, manager, takeOver, ...choice }) {
    checkPlanOptions(choice)
    if (takeOver && manager === undefined) {
      throw new CliError(exitCodes.usage, '--take-over needs --manager: who is to keep them?')
    }
    const keeping = { ...(manager !== undefined && { manager }), takeOver }
    return withFiles(context, files, keeping, async (changes) => {
      const planned = await planOperations(context, changes)
      const { planHash } = await import('../sync/operations.ts')
      return applyOrShow(context, planned, planHash(changes, planned.plans), choice)
    })
  },
})

/** Reads files, and does something with what sets all that is in them. Errors say where it is. */
async function withFiles(
  { terminal, namespaceKey }: Context,
  names: readonly string[],
  keeping: { readonly manager?: string; readonly takeOver?: boolean },
  work: (changes: readonly NamespaceOperations[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const [{ readFiles }, { readInputs }, { toOperations }, { withPlace }] = await Promise.all([
    import('@svc/documents/files'),
    import('../files/inputs.ts'),
    import('../sync/operations.ts'),
    import('../files/file-errors.ts'),
  ])
  let placeOf: PlaceOf | undefined
  try {
    const inputs = await readInputs(terminal, names)
    const { namespaces } = readFiles(inputs.map((file) => ({ namespaceKey, ...file })))
    placeOf = (key, kind, objectKey) =>
      namespaces.find((one) => one.namespaceKey === key)?.placeOf(kind, objectKey)
    return await work(namespaces.map((one) => toOperations(one, keeping)))
  } catch (error) {
    throw withPlace(error, placeOf)
  }
}

export const commands: readonly Command[] = [diff, apply]
