import type {
  DistributionDocument,
  FlagDocument,
  RolloutDocument,
  RuleDocument,
  SegmentShare,
  VariantDocument,
} from '@svc/proto/resource/v1/documents'
import type { RolloutThreshold } from '@svc/proto/resource/v1/rollouts'
import { toFloat } from '../canonical.ts'
import { fileShapes } from './file-shapes.ts'
import { toJsonText } from './json-text.ts'
import { isNull, type NodeReader, type Place } from './node-reader.ts'
import { readKey, readName } from './read-names.ts'
import { checkVersion, type Version } from './versions.ts'

const flagTypes = ['VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE'] as const
const operators = ['OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR'] as const

export function readFlag(reader: NodeReader, place: Place, version: Version): FlagDocument {
  const members = reader.members(place, fileShapes.flag)
  checkVersion(reader, members.get('type'), version, '1.1', 'flag.type')
  checkVersion(reader, members.get('rollouts'), version, '1.1', 'flag.rollouts')
  const variants = readVariants(reader, members.get('variants'), version)
  return {
    key: readKey(reader, members.get('key'), place),
    type: reader.choice(members.get('type'), flagTypes),
    name: readName(reader, members.get('name'), place),
    description: reader.text(members.get('description')),
    enabled: reader.boolean(members.get('enabled')),
    metadata: readMetadata(reader, members.get('metadata')),
    variants,
    rules: readRules(reader, members.get('rules'), variants),
    rollouts: reader
      .elements(members.get('rollouts'))
      .map((rollout) => readRollout(reader, rollout, version)),
  }
}

function readMetadata(reader: NodeReader, place: Place | undefined): FlagDocument['metadata'] {
  if (place === undefined || isNull(place)) return undefined
  if (reader.entries(place) === undefined) return reader.problem(place, 'must be an object')
  const metadata: object = JSON.parse(toJsonText(reader, place, 'double'))
  return Object.keys(metadata).length === 0 ? undefined : { ...metadata }
}

function readVariants(
  reader: NodeReader,
  place: Place | undefined,
  version: Version,
): VariantDocument[] {
  const keys = new Set<string>()
  const variants = reader.elements(place).map((element) => {
    const members = reader.members(element, fileShapes.variant)
    checkVersion(reader, members.get('default'), version, '1.3', 'variant.default')
    const key = readName(reader, members.get('key'), element, 'key')
    if (keys.has(key)) reader.problem(element, `is a second variant with the key "${key}"`)
    keys.add(key)
    return {
      id: '',
      key,
      name: reader.text(members.get('name')),
      description: reader.text(members.get('description')),
      attachment: readAttachment(reader, members.get('attachment')),
      default: reader.boolean(members.get('default')),
    }
  })
  const preset = variants.findLastIndex((variant) => variant.default)
  return variants.map((variant, index) => ({ ...variant, default: index === preset }))
}

/** None is written in several ways; `null` is JSON, and an attachment. */
function readAttachment(reader: NodeReader, place: Place | undefined): string {
  if (place === undefined) return ''
  if (isNull(place) && reader.sourceOf(place) !== 'null') return ''
  return toJsonText(reader, place, 'exact')
}

function readRules(
  reader: NodeReader,
  place: Place | undefined,
  variants: readonly VariantDocument[],
): RuleDocument[] {
  return reader
    .elements(place)
    .map((element, index) => {
      const members = reader.members(element, fileShapes.rule)
      const rank = reader.number(members.get('rank')) ?? index + 1
      const rule = {
        id: '',
        ...readSegments(reader, members.get('segment'), element),
        distributions: reader
          .elements(members.get('distributions'))
          .map((one) => readDistribution(reader, one, variants)),
      }
      return { rank, rule }
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ rule }) => rule)
}

/** The key of a segment, or an object with several. */
function readSegments(
  reader: NodeReader,
  place: Place | undefined,
  rule: Place,
): Pick<RuleDocument, 'segments' | 'operator'> {
  if (place === undefined || isNull(place)) {
    reader.problem(rule, 'has no segment: a rule needs "segment"')
    return { segments: [], operator: operators[0] }
  }
  if (reader.entries(place) === undefined) {
    return { segments: [readKey(reader, place, rule)], operator: operators[0] }
  }
  const members = reader.members(place, fileShapes.segments)
  const segments = readKeys(reader, members.get('keys'), place)
  return { segments, operator: readOperator(reader, members.get('operator'), segments) }
}

function readKeys(reader: NodeReader, place: Place | undefined, parent: Place): string[] {
  const keys = reader.elements(place).map((element) => readKey(reader, element, parent))
  if (keys.length === 0) reader.problem(place ?? parent, 'needs the key of a segment at least')
  return [...new Set(keys)]
}

/** A single segment is combined with nothing. */
function readOperator(
  reader: NodeReader,
  place: Place | undefined,
  segments: readonly string[],
): (typeof operators)[number] {
  const operator = reader.choice(place, operators)
  return segments.length > 1 ? operator : operators[0]
}

function readDistribution(
  reader: NodeReader,
  place: Place,
  variants: readonly VariantDocument[],
): DistributionDocument {
  const members = reader.members(place, fileShapes.distribution)
  const variant = readName(reader, members.get('variant'), place, 'variant')
  if (variant !== '' && !variants.some(({ key }) => key === variant)) {
    const known = variants.map(({ key }) => key).join(', ') || 'none'
    reader.problem(
      members.get('variant') ?? place,
      `names the variant "${variant}", which the flag does not have: it has ${known}`,
    )
  }
  return { id: '', variant, rollout: readPercentage(reader, members.get('rollout')) }
}

function readPercentage(reader: NodeReader, place: Place | undefined): number {
  const number = toFloat(reader.number(place) ?? 0)
  if (place !== undefined && (number < 0 || number > 100)) {
    reader.problem(place, `must be a percentage, from 0 to 100, not ${number}`)
  }
  // The zero value has no sign.
  return number || 0
}

function readRollout(reader: NodeReader, place: Place, version: Version): RolloutDocument {
  const members = reader.members(place, fileShapes.rollout)
  const [segment, threshold] = [members.get('segment'), members.get('threshold')].map((one) =>
    one === undefined || isNull(one) ? undefined : one,
  )
  if ((segment === undefined) === (threshold === undefined)) {
    reader.problem(place, 'must have either "segment" or "threshold"')
  }
  return {
    id: '',
    description: reader.text(members.get('description')),
    segment: segment && readShare(reader, segment, version),
    threshold: threshold && readThreshold(reader, threshold),
  }
}

function readThreshold(reader: NodeReader, place: Place): RolloutThreshold {
  const members = reader.members(place, fileShapes.threshold)
  return {
    percentage: readPercentage(reader, members.get('percentage')),
    value: reader.boolean(members.get('value')),
  }
}

function readShare(reader: NodeReader, place: Place, version: Version): SegmentShare {
  const members = reader.members(place, fileShapes.share)
  const [key, keys] = [members.get('key'), members.get('keys')]
  checkVersion(reader, keys, version, '1.2', 'flag.rollouts[*].segment.keys')
  if (key !== undefined && keys !== undefined) {
    reader.problem(keys, 'stands beside "key": use one of them')
  }
  const segments =
    keys === undefined ? [readKey(reader, key, place)] : readKeys(reader, keys, place)
  return {
    segments,
    operator: readOperator(reader, members.get('operator'), segments),
    value: reader.boolean(members.get('value')),
  }
}
