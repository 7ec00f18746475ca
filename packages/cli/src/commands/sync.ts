import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, SvcError } from '@svc/client/api'
import { checkPlan } from '../apply-documents.ts'
import { type Command, defineCommand } from '../command.ts'
import { readTokenFile } from '../connection.ts'
import type { Context } from '../context.ts'
import { explainError } from '../errors.ts'
import { CliError, type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts'
import type { PlaceOf } from '../files/file-errors.ts'
import { argument, option } from '../options.ts'
import {
  checkPlanOptions,
  deletionsOption,
  planOption,
  planOptions,
  tellOutcome,
} from '../outcome.ts'
import { hasChanges } from '../plan-text.ts'
import type { SyncMemory, SyncPlan } from '../sync/plan.ts'

const sync = defineCommand({
  name: 'sync',
  summary: 'make namespaces what a folder says',
  description: [
    'DIR has a folder for each namespace with YAML or JSON files in it, or files that name their namespace, as',
    '`svc export` writes them. What is in them is set, and kept by the manager from then on. What the manager',
    'keeps and no file has any more is deleted; what others made stays. A namespace that has no folder is',
    'left alone. Repeat it as often as you like: what is as it should be is not written.\n\nA plan that deletes more than ten objects, and more than a tenth of what the manager keeps in a namespace,',
    'is refused with 4 unless --max-deletions or --plan allows it. A dry run shows it first.',
  ].join(' '),
  arguments: { directory: argument.one('DIR', 'the folder', { completes: 'files' }) },
  options: {
    manager: option.required(
      '--manager NAME',
      'who keeps what is in the folder: a name for the repository, such as shop-flags',
    ),
    ...planOptions,
    plan: planOption,
    watch: option.duration('--watch TIME', 'do it again and again, with this time in between', {
      minimumMs: 1000,
    }),
    takeOver: option.flag('--take-over', 'take over objects that another manager keeps'),
    maxDeletions: deletionsOption,
    serviceAccount: option.text(
      '--service-account FILE',
      'in a cluster: the token of a service account, which is exchanged for one of the service',
      { completes: 'files' },
    ),
    deleteNamespaces: option.flag(
      '--delete-namespaces',
      'delete empty namespaces that this manager made and DIR lacks',
    ),
  },
  examples: [
    {
      line: 'svc sync flags --manager shop-flags --dry-run',
      text: 'what would change, for a pull request',
    },
    { line: 'svc sync flags --manager shop-flags', text: 'and do it' },
    {
      line: 'svc sync flags --manager shop-flags --dry-run --exit-code',
      text: 'whether it differs from the folder by now',
      exitCode: exitCodes.differences,
    },
  ],
  async run(context, { directory, ...given }) {
    checkGiven(given)
    const { api, forget } = await withCredential(context, given.serviceAccount)
    const credited = { ...context, api }
    if (given.watch === undefined) return runOnce(credited, directory, given)
    return watch(credited, directory, given, given.watch, forget)
  },
})

interface Given {
  readonly manager: string
  readonly dryRun: boolean
  readonly exitCode: boolean
  readonly plan: string | undefined
  readonly watch: number | undefined
  readonly takeOver: boolean
  readonly maxDeletions: number | undefined
  readonly deleteNamespaces: boolean
}

/** @returns the API as the service account, if there is one; `forget` when the token was refused */
async function withCredential(context: Context, file: string | undefined) {
  const { api, tokenFrom, url } = context
  if (file === undefined) return withTokenFile(context) ?? { api, forget: () => {} }
  if (tokenFrom !== 'nothing' && tokenFrom !== 'profile') {
    throw new CliError(exitCodes.usage, 'a token and --service-account are given: leave out one')
  }
  const { WorkloadToken } = await import('../sync/workload.ts')
  const token = new WorkloadToken(url, file)
  return { api: createApi({ url, token: () => token.get() }), forget: () => token.forget() }
}

/** The token of `--token-file`, which may be another one by the time that it is refused. */
function withTokenFile({ terminal, token, tokenFile, url }: Context) {
  if (token === undefined || tokenFile === undefined || tokenFile === '-') return undefined
  let current: Promise<string> | undefined = Promise.resolve(token)
  const forget = () => {
    current = undefined
  }
  const get = () => {
    if (current === undefined) {
      current = readTokenFile(terminal, tokenFile)
      current.catch(forget)
    }
    return current
  }
  return { api: createApi({ url, token: get }), forget }
}

function checkGiven(given: Given): void {
  const { manager, watch, plan, exitCode } = given
  checkPlanOptions(given)
  if (!/^[-_,A-Za-z0-9]{1,64}$/.test(manager)) {
    throw new CliError(
      exitCodes.usage,
      `--manager takes a name of letters, digits, "-" and "_", at most 64; it was given "${manager}"`,
    )
  }
  if (watch !== undefined && (plan !== undefined || exitCode)) {
    const name = plan === undefined ? '--exit-code' : '--plan'
    throw new CliError(exitCodes.usage, `--watch does not end, so ${name} means nothing with it`)
  }
}

/** Syncs at once: they may find that the other one was faster, and plan anew. */
const maxAttempts = 3

async function runOnce(
  context: Context,
  directory: string,
  given: Given,
  memory?: SyncMemory,
): Promise<ExitCode> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(context, directory, given, memory)
    } catch (error) {
      const mayRepeat = given.plan === undefined && attempt < maxAttempts && isOvertaken(error)
      if (!mayRepeat) throw error
    }
  }
}

/** Whether another writer came in between the plan and the write. */
function isOvertaken(error: unknown): boolean {
  const cause = error instanceof CliError ? error.cause : error
  const status: unknown = Reflect.get(Object(cause), 'status')
  const isMade = cause instanceof SvcError && /is not unique/.test(cause.message)
  return status === 412 || isMade || Reflect.get(Object(cause), 'reason') === 'plan_changed'
}

async function attemptOnce(
  given: Context,
  directory: string,
  options: Given,
  memory: SyncMemory | undefined,
): Promise<ExitCode> {
  const [{ readFolder }, { commitComment }, { toOperations }, { planSync }, files] =
    await Promise.all([
      import('../sync/folder.ts'),
      import('../sync/commit-comment.ts'),
      import('../sync/operations.ts'),
      import('../sync/plan.ts'),
      import('../files/file-errors.ts'),
    ])
  const { manager, takeOver, plan: expected, maxDeletions, deleteNamespaces } = options
  let placeOf: PlaceOf | undefined
  try {
    const { namespaces, path } = await readFolder(given.terminal, directory)
    placeOf = (namespaceKey, kind, key) =>
      namespaces.find((one) => one.namespaceKey === namespaceKey)?.placeOf(kind, key)
    const comment = given.comment ?? (await commitComment(given.terminal.env, path))
    const context = { ...given, comment }
    const changes = namespaces.map((one) => toOperations(one, { manager, prune: true, takeOver }))
    const allowed = expected === undefined ? maxDeletions : Number.POSITIVE_INFINITY
    const choice = { manager, deleteNamespaces, maxDeletions: allowed }
    return await finish(context, await planSync(context, changes, choice, memory), options)
  } catch (error) {
    throw withHint(files.withPlace(error, placeOf))
  }
}

/** Does what was planned, or shows it. */
async function finish(context: Context, planned: SyncPlan, options: Given): Promise<ExitCode> {
  const { output } = context
  const { plan, gone, filled, excess } = planned
  const isDryRun = options.dryRun
  try {
    if (excess !== undefined && !isDryRun) throw excess
    checkPlan(plan, options)
  } catch (error) {
    await planned.discard()
    throw error
  }
  if (isDryRun) await planned.discard()
  const { namespaces, deleted, left } = isDryRun
    ? { namespaces: planned.namespaces, deleted: gone, left: [] }
    : await planned.apply()
  for (const key of left) output.warn(`namespace ${key} is no longer empty: it stays`)
  const code = left.length === 0 ? exitCodes.done : exitCodes.conflict
  const isIdle = deleted.length === 0 && !namespaces.some(hasChanges)
  // A watch says only what it has done.
  if (options.watch !== undefined && isIdle) return code
  for (const key of filled) {
    output.note(`namespace ${key} is in no folder, and not empty: it stays`)
  }
  for (const key of deleted) {
    output.note(`namespace ${key} ${isDryRun ? 'would be' : 'was'} deleted`)
  }
  const outcome = { isDryRun, plan, namespaces, deletedNamespaces: deleted }
  const told = tellOutcome(context, outcome, options)
  if (excess !== undefined) throw excess
  if (code !== exitCodes.done) return code
  return options.exitCode && deleted.length > 0 ? exitCodes.differences : told
}

function withHint(error: unknown): unknown {
  if (!(error instanceof Error) || !/ is kept by "/.test(error.message)) return error
  const hint = 'Nothing was written. --take-over takes it over, if that is meant.'
  return new CliError(exitCodes.conflict, error.message, hint, { cause: error })
}

/** Goes on until it is interrupted, whatever fails. */
async function watch(
  context: Context,
  directory: string,
  given: Given,
  intervalMs: number,
  forget: () => void,
): Promise<ExitCode> {
  const { output, signal } = context
  const memory: SyncMemory = new Map()
  while (!signal.aborted) {
    try {
      await runOnce(context, directory, given, memory)
    } catch (error) {
      if (signal.aborted) break
      if (exitCodeOf(error) === exitCodes.notAllowed) forget()
      explainError(error, output, context)
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => {})
  }
  return exitCodes.done
}

export const commands: readonly Command[] = [sync]
