import { parseArgs } from 'node:util'
import { invalidArgument } from '@svc/runtime'
import type { Entry } from './registry.ts'

/** What is measured apart from the usual rows. */
const suiteNames = ['client', 'management', 'writes', 'peers'] as const

export type SuiteName = (typeof suiteNames)[number]

export interface Options {
  /** Left out for the usual rows. */
  readonly suite: SuiteName | undefined
  readonly quick: boolean
  /** Where to write the rows as JSON. */
  readonly json: string | undefined
  /** An id, or the part of several before the dot. */
  readonly only: string | undefined
}

/** @throws {AppError} `invalid_argument` with how it is used */
export function readOptions(args: readonly string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args: args.filter((arg) => arg !== '--'),
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        only: { type: 'string' },
      },
    })
    const [name = '', ...rest] = positionals
    const suite = suiteNames.find((each) => each === name)
    if ((name !== '' && suite === undefined) || rest.length > 0) {
      throw new Error(`There is no ${positionals.at(-1)}.`)
    }
    return { suite, quick: values.quick, json: values.json, only: values.only }
  } catch (error) {
    const names = suiteNames.join(' | ')
    const reason = error instanceof Error ? error.message : String(error)
    throw invalidArgument(
      `${reason}\nUse: pnpm bench [${names}] [--quick] [--json FILE] [--only ID]`,
    )
  }
}

/** @throws {AppError} `invalid_argument` when nothing has that id */
export function choose(entries: readonly Entry[], only: string | undefined): readonly Entry[] {
  if (only === undefined) return entries
  const chosen = entries.filter(({ ids }) =>
    ids.some((id) => id === only || id.startsWith(`${only}.`)),
  )
  if (chosen.length > 0) return chosen
  const known = entries.flatMap(({ ids }) => ids).join(', ')
  throw invalidArgument(`There is no row ${only}. There are: ${known}.`)
}
