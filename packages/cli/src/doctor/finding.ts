import { SvcError } from '@svc/client/api'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts'

/** What a check has found. */
export interface Finding {
  /** Of what, in one or two words. */
  readonly check: string
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly text: string
  /** What to do, as a sentence. With every warning and failure. */
  readonly todo?: string
  /** Of a failure: what the process ends with. */
  readonly exitCode?: ExitCode
}

export interface Check {
  readonly name: string
  /** @throws {SvcError} where the service refuses; a 401 or 403 skips the check */
  readonly run: (
    context: Context,
    update: (state: string) => void,
  ) => Promise<readonly Omit<Finding, 'check'>[]>
}

export const ok = (text: string) => ({ state: 'ok', text }) as const
export const skipped = (text: string) => ({ state: 'skipped', text }) as const
export const warning = (text: string, todo: string) => ({ state: 'warning', text, todo }) as const
export const failed = (text: string, todo: string, exitCode: ExitCode = exitCodes.failed) =>
  ({ state: 'failed', text, todo, exitCode }) as const

/** Runs a check; that it could not be made is a finding, too. */
export async function findAll(
  { name, run }: Check,
  context: Context,
  update: (state: string) => void,
): Promise<readonly Finding[]> {
  const found = await run(context, update).catch((error: unknown) => {
    if (context.signal.aborted) throw error
    const message = error instanceof Error ? error.message : String(error)
    if (error instanceof SvcError && (error.status === 401 || error.status === 403)) {
      return [skipped(`this credential may not see it: ${message}`)]
    }
    return [failed(message, 'See the other lines, and the logs of the service.', exitCodeOf(error))]
  })
  return found.map((finding) => ({ check: name, ...finding }))
}
