import { type ApplyRequest, type ApplyResult, SvcError } from '@svc/client/api'
import type { Context } from './context.ts'
import { type Live, liveText, waitUntilLive } from './live.ts'

/** What a write has done, as `--json` prints it. */
interface Written {
  readonly namespaceKey: string
  readonly key: string
  /** Of the namespace; left out when there was nothing to do. */
  readonly revision?: number
  readonly changed: boolean
  readonly live?: Live | undefined
}

/** One Apply in the namespace of the command, or in another, with the comment of the command. */
export async function applyHere(
  { api, namespaceKey, comment, signal }: Context,
  operations: NonNullable<ApplyRequest['operations']>,
  to: string = namespaceKey,
): Promise<ApplyResult> {
  try {
    return await api.documents.apply({ namespaceKey: to, operations }, { comment, signal })
  } catch (error) {
    if (!(error instanceof SvcError) || operations.length > 1) throw error
    // Of a single operation it goes without saying which one is wrong.
    throw new SvcError(error.message.replace(/^operations\[0\]: /, ''), error)
  }
}

/**
 * Tells what a write has done once the gateways have it: `checkout is on in default · revision 42 · live
 * on 3/3, 41 ms`.
 *
 * @param what of a change; `unchanged` of a write that had nothing to do
 */
export async function tellWrite(
  context: Context,
  { revision, items }: Pick<ApplyResult, 'revision' | 'items'>,
  key: string,
  { what, unchanged }: { readonly what: string; readonly unchanged: string },
  namespaceKey: string = context.namespaceKey,
): Promise<void> {
  const { output } = context
  if (items.length === 0) {
    const written: Written = { namespaceKey, key, changed: false }
    output.done(written, () => unchanged)
    return
  }
  const live = await waitUntilLive(context, namespaceKey, revision)
  const written: Written = { namespaceKey, key, revision, changed: true, live }
  output.done(written, () =>
    [what, `revision ${revision}`, ...(live === undefined ? [] : [liveText(live)])].join(' · '),
  )
  if (live !== undefined && live.reached < live.gateways) {
    output.note('Some gateways do not have it yet: `svc status` shows which.')
  }
  const manager = items.find((item) => item.key === key)?.managedBy
  if (manager) output.note(`It is kept by "${manager}", whose next sync takes this back.`)
}
