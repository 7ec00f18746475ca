import type { Content, PromotedObject, PromotePlan, Resolution } from '@svc/documents'
import type { StoredNamespace } from '@svc/documents/files'
import { findNearest } from '@svc/documents/nearest'
import { applyOrShow, planOperations } from '../apply-documents.ts'
import { type Command, defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { readContent } from '../namespace-content.ts'
import { argument, option } from '../options.ts'
import { checkPlanOptions, planOption, planOptions } from '../outcome.ts'
import { changeText } from '../plan-text.ts'

const promote = defineCommand({
  name: 'promote',
  summary: 'take flags over from one namespace into another',
  description: [
    'Whole flags, with the segments that they need. What was promoted last is the common ancestor: what only',
    'TO has changed since stays, what only FROM has changed is taken, and what both have changed is a',
    'conflict. With conflicts nothing is written, and it ends with 4: --ours keeps those of TO, --theirs takes',
    'those of FROM. A flag keeps its state in TO, and is off where it is new; --with-state takes it over, too.',
  ].join(' '),
  arguments: {
    from: argument.one('FROM', 'the namespace to take from', { completes: 'namespaces' }),
    to: argument.one('TO', 'the namespace that changes', { completes: 'namespaces' }),
    keys: argument.many('KEYS', 'the flags', { completes: 'flags' }),
  },
  options: {
    withSegments: option.flag('--with-segments', 'with the segments of the flags: the default'),
    withoutSegments: option.flag('--without-segments', 'leave the segments of TO as they are'),
    withState: option.flag('--with-state', 'turn flags on or off as in FROM'),
    ours: option.flag('--ours', 'of conflicts, keep what TO has'),
    theirs: option.flag('--theirs', 'of conflicts, take what FROM has'),
    ...planOptions,
    plan: planOption,
  },
  examples: [
    { line: 'svc promote default staging checkout color', text: 'two flags, with their segments' },
    {
      line: 'svc promote default staging checkout --dry-run --exit-code',
      text: 'what would change, and whether anything would',
      exitCode: exitCodes.differences,
    },
  ],
  async run(context, given) {
    checkPlanOptions(given)
    const { from, to, keys, ours, theirs, withSegments, withoutSegments, withState } = given
    if (from === to) refuse('FROM and TO are the same namespace')
    if (ours && theirs) refuse('--ours and --theirs are given, and a conflict has one outcome')
    if (withSegments && withoutSegments) {
      refuse('--with-segments and --without-segments are given')
    }
    const source = await readContent(context, from)
    const target = await readContent(context, to)
    checkKeys(source, from, keys)
    const promotion = await planWithBase(context, { from, to }, source, {
      ...{ target, flagKeys: keys, withState },
      withSegments: withoutSegments ? 'none' : 'all',
      resolution: ours ? 'ours' : theirs ? 'theirs' : undefined,
    })
    tellPromotion(context, promotion, { from, to })
    checkPromotion(context, promotion, { from, to })
    const { setOperations } = await import('@svc/documents/files')
    const { promotedContent } = await import('@svc/documents')
    const operations = setOperations(promotedContent(promotion))
    const details = { from: `${from}:${source.revision}` }
    const planned = await planOperations(context, [{ namespaceKey: to, operations, details }])
    const [plan] = planned.plans
    if (plan?.items.some(({ revision }) => revision > target.revision)) {
      await planned.discard()
      throw new CliError(
        exitCodes.conflict,
        `namespace "${to}" was changed while it was compared`,
        'Run it again.',
      )
    }
    const stay = promotion.objects.length - operations.length
    const plans = planned.plans.map((one) => ({ ...one, unchanged: one.unchanged + stay }))
    const more = { promotion: promotion.objects.map(toJson) }
    return applyOrShow(context, { ...planned, plans }, plan?.plan ?? '', given, more)
  },
})

function refuse(message: string): never {
  throw new CliError(exitCodes.usage, message)
}

function checkKeys({ flags }: Content, from: string, keys: readonly string[]): void {
  const known = new Set(flags.map(({ key }) => key))
  const missing = keys.find((key) => !known.has(key))
  if (missing === undefined) return
  const nearest = findNearest(missing, [...known])
  throw new CliError(
    exitCodes.failed,
    `flag "${from}/${missing}" not found`,
    nearest === undefined
      ? `\`svc flags list -n ${from}\` lists those that there are.`
      : `Did you mean "${nearest}"?`,
  )
}

interface Pair {
  readonly from: string
  readonly to: string
}

interface Choice {
  readonly target: StoredNamespace
  readonly flagKeys: readonly string[]
  readonly withState: boolean
  readonly withSegments: 'all' | 'none'
  readonly resolution: Resolution | undefined
}

/** A plan by the common ancestors of all that differs. */
async function planWithBase(
  { api, progress, signal }: Context,
  { from, to }: Pair,
  source: StoredNamespace,
  { resolution, ...choice }: Choice,
): Promise<PromotePlan> {
  const { findBases, planPromotion } = await import('@svc/documents')
  const request = { source, ...choice, resolve: () => resolution }
  const objects = planPromotion(request).objects.filter(({ verdict }) => verdict === 'updated')
  if (objects.length === 0) return planPromotion(request)
  const reader = {
    changes: {
      list: (asked: Parameters<typeof api.changes.list>[0]) => api.changes.list(asked, { signal }),
      get: (asked: Parameters<typeof api.changes.get>[0]) => api.changes.get(asked, { signal }),
    },
    documents: {
      getNamespace: (asked: Parameters<typeof api.documents.getNamespace>[0]) =>
        api.documents.getNamespace(asked, { signal }),
    },
  }
  const base = await progress.show('looking for the last promotion', () =>
    findBases(reader, { sourceKey: from, targetKey: to, source, objects }),
  )
  return planPromotion({ ...request, base })
}

/** Says what stays, and what changes besides the chosen flags. */
function tellPromotion({ output }: Context, { objects }: PromotePlan, { from, to }: Pair): void {
  for (const { kind, key, verdict, alsoUsedBy, targetChanges } of objects) {
    if (verdict === 'kept') {
      const paths = targetChanges.map(({ path }) => path).join(', ')
      output.note(`${kind} ${key} stays as it is in ${to}, which has changed it since: ${paths}`)
    }
    if (alsoUsedBy.length > 0) {
      const shown = alsoUsedBy.slice(0, 5).join(', ')
      const more = alsoUsedBy.length > 5 ? ` and ${alsoUsedBy.length - 5} more` : ''
      output.note(`${kind} ${key} of ${from} also changes who gets ${shown}${more} in ${to}`)
    }
  }
}

/** @throws {CliError} for conflicts, and for segments that are missing */
function checkPromotion(
  { output }: Context,
  { objects, missingSegmentKeys }: PromotePlan,
  { from, to }: Pair,
): void {
  const conflicts = objects.filter(({ verdict }) => verdict === 'conflict')
  if (conflicts.length > 0) {
    if (output.isJson) output.value({ promotion: objects.map(toJson) }, () => '')
    throw new CliError(
      exitCodes.conflict,
      conflicts.map((one) => conflictText(one, { from, to })).join('\n'),
      `Nothing was written. --ours keeps what ${to} has, --theirs takes what ${from} has.`,
    )
  }
  if (missingSegmentKeys.length > 0) {
    throw new CliError(
      exitCodes.failed,
      `${to} lacks segments that the flags need: ${missingSegmentKeys.join(', ')}`,
      'Leave out --without-segments to take them over, too.',
    )
  }
}

function conflictText(
  { kind, key, sourceChanges, targetChanges }: PromotedObject,
  { from, to }: Pair,
): string {
  return [
    `${kind} ${key} was changed in both since the last promotion`,
    ...sourceChanges.map((change) => `    ${from}  ${changeText(change)}`),
    ...targetChanges.map((change) => `    ${to}  ${changeText(change)}`),
  ].join('\n')
}

function toJson({ document: _, changes: __, ...object }: PromotedObject) {
  return object
}

export const commands: readonly Command[] = [promote]
