import type { NamespaceSettings } from '@svc/client/api'
import type { Operation, StoredNamespace } from '@svc/documents/files'
import { applyOrShow, planOperations } from '../apply-documents.ts'
import { type Command, defineCommand } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { readContent } from '../namespace-content.ts'
import { option } from '../options.ts'
import { checkPlanOptions, planOption, planOptions } from '../outcome.ts'

const restore = defineCommand({
  name: 'restore',
  summary: 'set the namespace back to what it was at a revision',
  description: [
    'All flags, segments and settings: what was made since is deleted, and what was deleted comes back. A flag',
    'or segment that was deleted has all its ids again; what was deleted of one that is still there, such as a',
    'variant, gets a new id. It is one change, so `svc undo` takes it back. To put back one change only, with all',
    'ids, use `svc undo`.',
  ].join(' '),
  options: {
    at: option.required('--at REVISION', 'as `svc changes` lists it'),
    ...planOptions,
    plan: planOption,
  },
  examples: [
    { line: 'svc restore --at 42 --dry-run', text: 'what would change' },
    { line: 'svc restore --at 42', text: 'everything as it was after the change 42' },
  ],
  async run(context, given) {
    checkPlanOptions(given)
    const { namespaceKey } = context
    const revision = toRevision(given.at)
    const now = await readContent(context, namespaceKey)
    const past = await readContent(context, namespaceKey, revision)
    const operations = await toOperations(namespaceKey, now, past)
    const details = { from: `${namespaceKey}:${revision}` }
    const planned = await planOperations(context, [{ namespaceKey, operations, details }])
    const [plan] = planned.plans
    if (plan?.items.some((item) => item.revision > now.revision)) {
      await planned.discard()
      throw new CliError(
        exitCodes.conflict,
        `namespace "${namespaceKey}" was changed while it was compared`,
        'Run it again.',
      )
    }
    return applyOrShow(context, planned, plan?.plan ?? '', given)
  },
})

function toRevision(given: string): number {
  const revision = /^\d{1,16}$/.test(given) ? Number(given) : 0
  if (revision > 0) return revision
  throw new CliError(
    exitCodes.usage,
    `--at takes a revision, a whole number from 1; it was given "${given}"`,
    '`svc changes` lists the revisions of the namespace.',
  )
}

/** What differs, with the ids of before: the service takes those of objects that are not there. */
async function toOperations(
  namespaceKey: string,
  now: StoredNamespace,
  past: StoredNamespace,
): Promise<Operation[]> {
  const { canonicalText } = await import('@svc/documents')
  const { deleteOperation, setOperation } = await import('@svc/documents/files')
  const differing = (kind: 'flag' | 'segment', name: 'flags' | 'segments'): Operation[] => {
    const texts = new Map(now[name].map((one) => [one.key, canonicalText(kind, one)]))
    const keys = new Set(past[name].map(({ key }) => key))
    return [
      ...past[name]
        .filter((one) => canonicalText(kind, one) !== texts.get(one.key))
        .map((one) => setOperation(kind, one, { keepIds: true })),
      ...now[name].filter(({ key }) => !keys.has(key)).map(({ key }) => deleteOperation(kind, key)),
    ]
  }
  const textOf = (settings: NamespaceSettings) => canonicalText('namespace', settings)
  const settings: Operation[] =
    textOf(now.settings) === textOf(past.settings)
      ? []
      : [{ kind: 'NAMESPACE_KIND', key: namespaceKey, settings: { ...past.settings } }]
  return [...settings, ...differing('segment', 'segments'), ...differing('flag', 'flags')]
}

export const commands: readonly Command[] = [restore]
