import type { FlagDocument, JsonObject } from '@svc/client/api'
import { defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { readInput } from '../input.ts'
import { orConflict, orSuggest } from '../missing.ts'
import { argument, option } from '../options.ts'
import { applyHere, tellWrite } from '../writes.ts'

const key = argument.one('KEY', 'the flag', { completes: 'flags' })

export const create = defineCommand({
  name: 'flags create',
  summary: 'create a flag',
  description:
    'It is off unless --on is given. With variants it is a variant flag, else a boolean one.',
  arguments: { key: argument.one('KEY', 'letters, digits, -, _ and ,') },
  options: {
    name: option.text('--name NAME', 'for people; the key unless given'),
    description: option.text('--description TEXT', 'what it is for'),
    variant: option.list('--variant KEY', 'a variant of it'),
    on: option.flag('--on', 'on from the start'),
    tag: option.list('--tag TAG', 'a tag to find it by'),
    owner: option.text('--owner NAME', 'who is responsible for it'),
  },
  examples: [
    { line: 'svc flags create new-search', text: 'a boolean flag, off' },
    {
      line: 'svc flags create theme --variant light --variant dark --on --owner web',
      text: 'a variant flag with two variants',
    },
  ],
  async run(context, { key, name = key, description = '', variant, on, tag, owner }) {
    const metadata = {
      ...(tag.length > 0 && { tags: tag }),
      ...(owner !== undefined && { owner }),
    }
    const flag = {
      type: variant.length > 0 ? ('VARIANT_FLAG_TYPE' as const) : ('BOOLEAN_FLAG_TYPE' as const),
      name,
      description,
      enabled: on,
      variants: variant.map((key) => ({ key, name: key })),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    }
    const { namespaceKey } = context
    const call = applyHere(context, [{ kind: 'FLAG_KIND', key, flag, ifRevision: 0 }])
    const result = await orConflict(
      'flag',
      key,
      namespaceKey,
      orSuggest(context, 'flags', key, call),
    )
    await tellWrite(context, result, key, {
      what: `${key} was created in ${namespaceKey}, and is ${on ? 'on' : 'off'}`,
      unchanged: `${key} is in ${namespaceKey} already`,
    })
  },
})

export const set = defineCommand({
  name: 'flags set',
  summary: 'change members of a flag',
  description:
    'What is not given stays as it is. --patch takes a JSON merge patch (RFC 7396) of the document, as `svc flags get KEY --json` shows it in `flag`: lists are replaced as a whole, and null takes a member away.',
  arguments: { key },
  options: {
    name: option.text('--name NAME', 'for people'),
    description: option.text('--description TEXT', 'what it is for'),
    owner: option.text('--owner NAME', 'who is responsible for it; empty for none'),
    tag: option.list('--tag TAG', 'its tags from now on; a single empty one for none'),
    defaultVariant: option.text(
      '--default-variant KEY',
      'what is served when no rule matches; empty for none',
    ),
    patch: option.text('--patch FILE', 'a file with a JSON merge patch; - for stdin', {
      completes: 'files',
    }),
  },
  examples: [
    { line: 'svc flags set checkout --name "New checkout" --owner payments', text: 'two members' },
    { line: 'svc flags set color --default-variant blue', text: 'what is served by default' },
    {
      line: `echo '{"rollouts": [{"threshold": {"percentage": 25, "value": true}}]}' | svc flags set checkout --patch -`,
      text: 'on for a quarter of all entities',
    },
  ],
  async run(context, { key, ...given }) {
    const { namespaceKey } = context
    const change = await toChange(context, key, given)
    if (Object.keys(change.patch).length === 0) {
      throw new CliError(
        exitCodes.usage,
        'nothing is given to change',
        '`svc flags set -h` lists what can be.',
      )
    }
    const call = applyHere(context, [{ kind: 'FLAG_KIND', key, ...change }])
    const result = await orSuggest(context, 'flags', key, call)
    await tellWrite(context, result, key, {
      what: `${key} was changed in ${namespaceKey}`,
      unchanged: `${key} in ${namespaceKey} is so already`,
    })
  },
})

interface Given {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly owner?: string | undefined
  readonly tag: readonly string[]
  readonly defaultVariant?: string | undefined
  readonly patch?: string | undefined
}

interface Change {
  readonly patch: JsonObject
  /** Of the flag, where a part of the patch was read from it. */
  readonly ifRevision?: number
}

async function toChange(context: Context, key: string, given: Given): Promise<Change> {
  const { name, description, owner, tag, defaultVariant } = given
  const read = given.patch === undefined ? {} : await readPatch(context, given.patch)
  const tags = tag.filter((name) => name !== '')
  const metadata = {
    ...(owner !== undefined && { owner: owner === '' ? null : owner }),
    ...(tag.length > 0 && { tags: tags.length === 0 ? null : tags }),
  }
  const patch = {
    ...read,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(Object.keys(metadata).length > 0 && {
      metadata: { ...metadataOf(read, owner === undefined ? '--tag' : '--owner'), ...metadata },
    }),
  }
  if (defaultVariant === undefined) return { patch }
  if (read.variants !== undefined) throw replaced('variants', '--default-variant')
  const { variants, revision } = await withDefault(context, key, defaultVariant)
  return { patch: { ...patch, variants }, ifRevision: revision }
}

function metadataOf({ metadata = {} }: JsonObject, option: string): object {
  if (typeof metadata === 'object' && metadata !== null) return metadata
  throw replaced('metadata', option)
}

function replaced(member: string, option: string): CliError {
  return new CliError(
    exitCodes.usage,
    `--patch replaces ${member}, of which ${option} sets a part`,
    'Set all of it in the patch.',
  )
}

/** As much as one apply takes. */
const maxPatchBytes = 4 * 2 ** 20

async function readPatch({ terminal }: Context, file: string): Promise<JsonObject> {
  const content = await readInput(terminal, file, maxPatchBytes)
  const name = file === '-' ? 'stdin' : file
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as JsonObject
  } catch {
    // The parser's message has a part of the text, which may be a secret in the wrong file.
    throw new CliError(exitCodes.usage, `${name} is no JSON`)
  }
  throw new CliError(exitCodes.usage, `${name} holds no JSON object, such as {"enabled": true}`)
}

async function withDefault(
  context: Context,
  key: string,
  defaultVariant: string,
): Promise<Pick<FlagDocument, 'variants'> & { readonly revision: number }> {
  const { api, namespaceKey, signal } = context
  const call = api.documents.getFlag({ namespaceKey, key }, { signal })
  const { flag, revision } = await orSuggest(context, 'flags', key, call)
  const { variants } = flag
  if (defaultVariant !== '' && !variants.some(({ key }) => key === defaultVariant)) {
    const keys = variants.map(({ key }) => key)
    const hint = keys.length === 0 ? 'It has no variants.' : `There are: ${keys.join(', ')}.`
    throw new CliError(exitCodes.failed, `flag "${key}" has no variant "${defaultVariant}"`, hint)
  }
  return {
    variants: variants.map((variant) => ({ ...variant, default: variant.key === defaultVariant })),
    revision,
  }
}

export const copy = defineCommand({
  name: 'flags copy',
  summary: 'copy a flag to another key or namespace',
  description:
    'Copies everything in it. Segments that it uses and the other namespace lacks are copied, too; those that it has stay as they are. The copy is off unless --with-state is given. `svc promote` brings later changes over.',
  arguments: { key, newKey: argument.optional('NEW-KEY', 'of the copy; the same unless given') },
  options: {
    to: option.filled('--to NAMESPACE', 'where the copy goes; the same namespace unless given', {
      completes: 'namespaces',
    }),
    withState: option.flag('--with-state', 'on, if the flag is'),
  },
  examples: [
    { line: 'svc flags copy checkout checkout-2', text: 'within the namespace' },
    { line: 'svc flags copy checkout --to staging', text: 'to another one, with its segments' },
  ],
  async run(context, { key, newKey = key, to = context.namespaceKey, withState }) {
    const { api, namespaceKey, signal } = context
    if (newKey === key && to === namespaceKey) {
      throw new CliError(
        exitCodes.usage,
        'the copy would be the flag itself',
        'Give it another key, or a namespace with --to.',
      )
    }
    const call = api.documents.getFlag({ namespaceKey, key }, { signal })
    const { flag } = await orSuggest(context, 'flags', key, call)
    const segments = to === namespaceKey ? [] : await segmentsToCopy(context, flag, to)
    const copied = { ...flag, key: newKey, enabled: withState && flag.enabled }
    const operation = { kind: 'FLAG_KIND', key: newKey, flag: copied, ifRevision: 0 } as const
    const write = applyHere(context, [operation, ...segments], to)
    const target = { ...context, namespaceKey: to }
    const result = await orConflict('flag', newKey, to, orSuggest(target, 'namespaces', to, write))
    const more = segments.length === 0 ? '' : ` with ${segments.length} of its segments`
    const what = `${key} was copied to ${to}/${newKey}${more}, and is ${copied.enabled ? 'on' : 'off'}`
    await tellWrite(target, result, newKey, { what, unchanged: what })
  },
})

/** Operations for the segments of a flag that the other namespace lacks. */
async function segmentsToCopy(
  { api, namespaceKey, signal }: Context,
  flag: FlagDocument,
  to: string,
) {
  const used = new Set([
    ...flag.rules.flatMap(({ segments }) => segments),
    ...flag.rollouts.flatMap(({ segment }) => segment?.segments ?? []),
  ])
  const operations = []
  for (const key of used) {
    const isThere = await api.segments.get({ namespaceKey: to, key }, { signal }).then(
      () => true,
      (error: { status?: number }) => {
        if (error.status !== 404) throw error
        return false
      },
    )
    if (isThere) continue
    const { segment } = await api.documents.getSegment({ namespaceKey, key }, { signal })
    operations.push({ kind: 'SEGMENT_KIND', key, segment, ifRevision: 0 } as const)
  }
  return operations
}
