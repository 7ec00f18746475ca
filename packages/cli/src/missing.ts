import { SvcError } from '@svc/client/api'
import { findNearest } from '@svc/documents/nearest'
import type { Context } from './context.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Completes } from './options.ts'

/** How many keys are looked at for one that was meant. */
const maxCandidates = 1000
/** An error is not held up for long by what it suggests. */
const timeoutMs = 1000

export type Listed = Exclude<Completes, 'files'>

/**
 * The keys of flags or segments of a namespace, or of the namespaces, or the names of static tokens: a
 * thousand of them at most.
 */
export async function listKeys(
  { api, signal }: Pick<Context, 'api' | 'signal'>,
  namespaceKey: string,
  listed: Listed,
  options: { readonly timeoutMs: number; readonly text?: string | undefined },
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
    case 'tokens': {
      const request = { method: 'METHOD_TOKEN', limit: 100 } as const
      const { authentications } = await api.authentications.list(request, call)
      return authentications.map(({ metadata }) => metadata['io.svc.auth.token.name'] ?? '')
    }
  }
}

/** What a call answers; the 404 of what does not exist names the key that was probably meant. */
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
): Promise<Error> {
  // The namespace itself may be what is missing, or something in one that is there, such as a revision.
  const isNamespace = /^namespace .* not found$/.test(error.message)
  if (listed === 'namespaces' && !isNamespace) return error
  const hint =
    isNamespace && listed !== 'namespaces'
      ? await suggestFor(context, 'namespaces', context.namespaceKey)
      : await suggestFor(context, listed, key)
  return new CliError(exitCodes.failed, error.message, hint, { cause: error })
}

/** What to do about a key that does not exist. */
export async function suggestFor(context: Context, listed: Listed, key: string): Promise<string> {
  const { namespaceKey } = context
  const keys = await listKeys(context, namespaceKey, listed, { timeoutMs }).catch(() => [])
  // What is there itself is not what was meant in its place.
  const nearest = findNearest(
    key,
    keys.filter((one) => one !== key),
  )
  if (nearest !== undefined) return `Did you mean "${nearest}"?`
  const place = listed === 'tokens' ? '' : ` -n ${namespaceKey}`
  const command = listed === 'namespaces' ? 'svc ns list' : `svc ${listed} list${place}`
  return `\`${command}\` lists those that there are.`
}

/** What a creation answers; that there is one already is said so, with what to do instead. */
export async function orConflict<Result>(
  noun: 'flag' | 'segment',
  key: string,
  namespaceKey: string,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call
  } catch (error) {
    const isThere =
      error instanceof SvcError && error.status === 412 && /must not exist$/.test(error.message)
    if (!isThere) throw error
    throw new CliError(
      exitCodes.conflict,
      `there is a ${noun} "${key}" in ${namespaceKey} already`,
      `\`svc ${noun}s set ${key}\` changes it.`,
      { cause: error },
    )
  }
}

/** @throws {CliError} that names the namespace that was probably meant, when there is none of this key */
export async function checkNamespace(context: Context): Promise<void> {
  const { api, namespaceKey: key, signal } = context
  await orSuggest(context, 'namespaces', key, api.namespaces.get({ key }, { signal }))
}
