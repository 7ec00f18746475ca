import { SvcError } from '@svc/client/api'
import type { Context } from './context.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { findNearest } from './nearest.ts'

/** How many keys are looked at for one that was meant. */
const maxCandidates = 1000
/** An error is not held up for long by what it suggests. */
const timeoutMs = 1000

export type Listed = 'flags' | 'segments' | 'namespaces'

/** The keys of flags or segments of a namespace, or of the namespaces: a thousand of them at most. */
export async function listKeys(
  { api, signal }: Pick<Context, 'api' | 'signal'>,
  namespaceKey: string,
  listed: Listed,
  options: { readonly timeoutMs: number; readonly text?: string },
): Promise<readonly string[]> {
  const call = { signal, timeoutMs: options.timeoutMs }
  const page = { namespaceKey, q: options.text, limit: maxCandidates, sort: 'key' }
  switch (listed) {
    case 'flags':
      return (await api.flags.list(page, call)).flags.map(({ key }) => key)
    case 'segments':
      return (await api.segments.list(page, call)).segments.map(({ key }) => key)
    case 'namespaces':
      return (await api.namespaces.list({ limit: maxCandidates }, call)).namespaces.map(
        ({ key }) => key,
      )
  }
}

/** What a call answers; a 404 names the key that was probably meant. */
export async function orSuggest<Result>(
  context: Context,
  listed: Listed,
  key: string,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof SvcError) || error.status !== 404) throw error
    throw await missing(context, listed, key, error)
  }
}

async function missing(
  context: Context,
  listed: Listed,
  key: string,
  error: SvcError,
): Promise<CliError> {
  const { namespaceKey } = context
  // The namespace itself may be what is missing.
  const isNamespace = listed === 'namespaces' || /^namespace /.test(error.message)
  const [what, word] = isNamespace
    ? (['namespaces', listed === 'namespaces' ? key : namespaceKey] as const)
    : ([listed, key] as const)
  const keys = await listKeys(context, namespaceKey, what, { timeoutMs }).catch(() => [])
  const nearest = findNearest(word, keys)
  const command = what === 'namespaces' ? 'svc ns list' : `svc ${what} list -n ${namespaceKey}`
  const hint =
    nearest === undefined
      ? `\`${command}\` lists those that there are.`
      : `Did you mean "${nearest}"?`
  return new CliError(exitCodes.failed, error.message, hint, { cause: error })
}
