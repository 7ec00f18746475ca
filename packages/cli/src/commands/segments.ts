import type { ComparisonType } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import { segmentText } from '../documents-text.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { checkNamespace, orConflict, orSuggest } from '../missing.ts'
import { argument, option } from '../options.ts'
import { readAll } from '../pages.ts'
import { applyHere, tellWrite } from '../writes.ts'
import { defineDelete, defineHistory } from './objects.ts'

const key = argument.one('KEY', 'the segment', { completes: 'segments' })

const list = defineCommand({
  name: 'segments list',
  summary: 'list the segments of the namespace',
  options: {
    text: option.text(
      '-q, --text TEXT',
      'only those with this text in their key, name or description',
    ),
  },
  examples: [
    { line: 'svc segments list', text: 'with how many flags use each' },
    { line: 'svc segments list -q customer --json', text: 'those with a text' },
  ],
  async run(context, { text }) {
    const { api, namespaceKey, output, signal } = context
    const segments = await readAll(async (pageToken) => {
      const request = {
        namespaceKey,
        q: text,
        sort: 'key',
        view: 'SUMMARY',
        limit: 1000,
        pageToken,
      }
      const page = await api.segments.list(request, { signal })
      return { rows: page.segments, next: page.nextPageToken }
    })
    if (segments.length === 0) await checkNamespace(context)
    output.rows(
      segments,
      [
        { title: 'KEY', cell: ({ key }) => key },
        { title: 'CONSTRAINTS', cell: ({ constraints }) => `${constraints.length}` },
        { title: 'FLAGS', cell: ({ usedBy = 0 }) => `${usedBy}` },
        { title: 'NAME', cell: ({ name }) => name },
      ],
      `No segments in ${namespaceKey}${text ? ' with this text' : ': `svc segments create KEY` makes one'}.`,
    )
  },
})

const get = defineCommand({
  name: 'segments get',
  summary: 'show a segment with its constraints',
  arguments: { key },
  examples: [
    { line: 'svc segments get germany', text: 'in words' },
    { line: 'svc segments get germany --json', text: 'its document, with revision and manager' },
  ],
  async run(context, { key }) {
    const { api, namespaceKey, output, signal } = context
    const call = api.documents.getSegment({ namespaceKey, key }, { signal })
    const stored = await orSuggest(context, 'segments', key, call)
    output.value(stored, () => segmentText(stored, output))
  },
})

const members = {
  name: option.text('--name NAME', 'for people'),
  description: option.text('--description TEXT', 'who is in it'),
  match: option.choice('--match WHICH', 'how many constraints have to hold', ['all', 'any']),
  constraint: option.list(
    '--constraint TEXT',
    'TYPE PROPERTY OPERATOR VALUE; the type is string, number, boolean, datetime or entity',
  ),
}
const matchTypes = { all: 'ALL_MATCH_TYPE', any: 'ANY_MATCH_TYPE' } as const

const create = defineCommand({
  name: 'segments create',
  summary: 'create a segment',
  description: 'Without constraints it matches every entity.',
  arguments: { key: argument.one('KEY', 'letters, digits, -, _ and ,') },
  options: members,
  examples: [
    {
      line: 'svc segments create adults --constraint "number age gte 18"',
      text: 'by a property of the context',
    },
    {
      line: `svc segments create testers --constraint 'entity entityId isoneof ["user-1", "user-2"]'`,
      text: 'by entity ids',
    },
  ],
  async run(context, { key, name = key, description = '', match, constraint }) {
    const segment = {
      name,
      description,
      constraints: constraint.map(readConstraint),
      ...(match !== undefined && { matchType: matchTypes[match] }),
    }
    const { namespaceKey } = context
    const call = applyHere(context, [{ kind: 'SEGMENT_KIND', key, segment, ifRevision: 0 }])
    const checked = orSuggest(context, 'namespaces', namespaceKey, call)
    const result = await orConflict('segment', key, namespaceKey, checked)
    await tellWrite(context, result, key, {
      what: `${key} was created in ${namespaceKey}`,
      unchanged: `${key} is in ${namespaceKey} already`,
    })
  },
})

const set = defineCommand({
  name: 'segments set',
  summary: 'change members of a segment',
  description:
    'What is not given stays as it is. With --constraint all its constraints are replaced.',
  arguments: { key },
  options: members,
  examples: [
    {
      line: 'svc segments set germany --constraint "string country eq DE" --constraint "string country eq AT" --match any',
      text: 'two countries in place of one',
    },
  ],
  async run(context, { key, name, description, match, constraint }) {
    const patch = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(match !== undefined && { matchType: matchTypes[match] }),
      ...(constraint.length > 0 && { constraints: constraint.map(readConstraint) }),
    }
    if (Object.keys(patch).length === 0) {
      throw new CliError(
        exitCodes.usage,
        'nothing is given to change',
        '`svc segments set -h` lists what can be.',
      )
    }
    const { namespaceKey } = context
    const call = applyHere(context, [{ kind: 'SEGMENT_KIND', key, patch }])
    const result = await orSuggest(context, 'segments', key, call)
    await tellWrite(context, result, key, {
      what: `${key} was changed in ${namespaceKey}`,
      unchanged: `${key} in ${namespaceKey} is so already`,
    })
  },
})

const types: Readonly<Record<string, ComparisonType>> = {
  string: 'STRING_COMPARISON_TYPE',
  number: 'NUMBER_COMPARISON_TYPE',
  boolean: 'BOOLEAN_COMPARISON_TYPE',
  datetime: 'DATETIME_COMPARISON_TYPE',
  entity: 'ENTITY_ID_COMPARISON_TYPE',
}

/** Of `number age gte 18`, where the value may have spaces, and may be missing. */
function readConstraint(text: string) {
  const [, typeName = '', property = '', operator = '', value = ''] =
    /^\s*(\S+)\s+(\S+)\s+(\S+)(?:\s+(\S.*))?$/s.exec(text) ?? []
  const type = Object.hasOwn(types, typeName) ? types[typeName] : undefined
  if (type !== undefined) return { type, property, operator, value: value.trimEnd() }
  throw new CliError(
    exitCodes.usage,
    `--constraint "${text}" is no constraint`,
    `It is TYPE PROPERTY OPERATOR VALUE, such as "string country eq DE"; the type is one of ${Object.keys(types).join(', ')}.`,
  )
}

const same = {
  kind: 'SEGMENT_KIND',
  noun: 'segment',
  completes: 'segments',
} as const

export const commands: readonly Command[] = [
  list,
  get,
  create,
  set,
  defineDelete({ ...same, name: 'segments delete', example: 'old-customers' }),
  defineHistory({ ...same, name: 'segments history', example: 'germany' }),
]
