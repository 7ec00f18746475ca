import type { ApplyRequest, ApplyResult } from '@svc/client/api'
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

/** One Apply in the namespace of the command, with its comment. */
export function applyHere(
  { api, namespaceKey, comment, signal }: Context,
  operations: NonNullable<ApplyRequest['operations']>,
  to: string = namespaceKey,
): Promise<ApplyResult> {
  return api.documents.apply({ namespaceKey: to, operations }, { comment, signal })
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
}
