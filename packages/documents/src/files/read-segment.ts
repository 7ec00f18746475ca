import type { ConstraintDocument, SegmentDocument } from '@svc/proto/resource/v1/documents'
import { operatorsOf } from '../comparisons.ts'
import { fileShapes } from './file-shapes.ts'
import type { NodeReader, Place } from './node-reader.ts'
import { readKey, readName } from './read-names.ts'

const matchTypes = ['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'] as const

const knownTypes = [
  'STRING_COMPARISON_TYPE',
  'NUMBER_COMPARISON_TYPE',
  'BOOLEAN_COMPARISON_TYPE',
  'DATETIME_COMPARISON_TYPE',
  'ENTITY_ID_COMPARISON_TYPE',
] as const

const comparisonTypes = ['UNKNOWN_COMPARISON_TYPE', ...knownTypes] as const

export function readSegment(reader: NodeReader, place: Place): SegmentDocument {
  const members = reader.members(place, fileShapes.segment)
  return {
    key: readKey(reader, members.get('key'), place),
    name: readName(reader, members.get('name'), place),
    description: reader.text(members.get('description')),
    matchType: reader.choice(members.get('match_type'), matchTypes),
    constraints: reader
      .elements(members.get('constraints'))
      .map((element) => readConstraint(reader, element)),
  }
}

function readConstraint(reader: NodeReader, place: Place): ConstraintDocument {
  const members = reader.members(place, fileShapes.constraint)
  const type = reader.choice(members.get('type'), comparisonTypes)
  const operator = readName(reader, members.get('operator'), place, 'operator')
  if (type === 'UNKNOWN_COMPARISON_TYPE') {
    reader.problem(members.get('type') ?? place, `needs a type: ${knownTypes.join(', ')}`)
  } else if (operator !== '') {
    const operators: readonly string[] = operatorsOf[type]
    if (!operators.includes(operator.toLowerCase())) {
      const message = `must be an operator of ${type}: ${operators.join(', ')}`
      reader.problem(members.get('operator') ?? place, message)
    }
  }
  return {
    id: '',
    type,
    property: readName(reader, members.get('property'), place, 'property'),
    operator,
    value: reader.text(members.get('value')),
    description: reader.text(members.get('description')),
  }
}
