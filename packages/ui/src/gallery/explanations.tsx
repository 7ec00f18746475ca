import type { Explanation } from '@svc/client/api'
import { explainDocument } from '@svc/documents/explain'
import { useState } from 'react'
import { ContextField } from '../explain/context-field.tsx'
import { EntityField } from '../explain/entity-field.tsx'
import { ExplanationView } from '../explain/explanation-view.tsx'
import { Part } from './part.tsx'

const plan = { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'beta' }
const people = { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'isoneof' }
const seats = { type: 'NUMBER_COMPARISON_TYPE', property: 'seats', operator: 'gte', value: '5' }
const country = {
  type: 'STRING_COMPARISON_TYPE',
  property: 'country',
  operator: 'neq',
  value: 'FR',
}

const segments = [
  {
    key: 'beta',
    name: 'Beta users',
    matchType: 'ANY_MATCH_TYPE',
    constraints: [plan, { ...people, value: '["user-1","user-2"]' }],
  },
  { key: 'teams', name: 'Teams', constraints: [seats, country] },
  { key: 'everyone', name: 'Everyone' },
]
const segmentNames = new Map(segments.map(({ key, name }) => [key, name]))

const boolean = {
  key: 'new-checkout',
  type: 'BOOLEAN_FLAG_TYPE',
  rollouts: [
    { segment: { segments: ['beta', 'gone'], value: true } },
    { threshold: { percentage: 25, value: true } },
    { segment: { segments: ['teams'], value: true } },
  ],
}
const variants = [{ key: 'blue', default: true }, { key: 'green' }, { key: 'amber' }]
const variant = {
  key: 'theme',
  enabled: true,
  variants,
  rules: [
    { segments: ['teams'], distributions: [] },
    {
      segments: ['everyone'],
      distributions: [
        { variant: 'green', rollout: 30 },
        { variant: 'amber', rollout: 10 },
      ],
    },
  ],
}

const questions = [
  { flag: boolean, entityId: 'user-314', context: { seats: 'many' } },
  { flag: boolean, entityId: '', context: {} },
  { flag: variant, entityId: 'user-42', context: { seats: 12, country: 'DE' } },
  { flag: variant, entityId: 'user-7', context: {} },
  { flag: { ...variant, enabled: false }, entityId: 'user-7', context: {} },
]

/** Answers with their ways: wide as in the console, folded as beside the targeting. */
export function Explanations() {
  const [entity, setEntity] = useState('user-42')
  const [context, setContext] = useState('{"country":"DE"}')
  return (
    <Part title="Explanations">
      <div className="grid grid-cols-2 gap-6 narrow:grid-cols-1">
        <EntityField value={entity} onChange={setEntity} />
        <ContextField value={context} missing={['email']} onChange={setContext} />
      </div>
      {questions.map(({ flag, entityId, context }, place) => {
        const question = { namespaceKey: 'shop', revision: 1, segments, flag, entityId, context }
        // The names of enums are those of the API.
        const explanation = explainDocument(question) as Explanation
        const view = {
          explanation,
          start: entityId,
          segmentNames,
          variants: variants.map(({ key }) => key),
          preset: 'blue',
          onAdd: () => {},
        }
        return (
          // The examples have no other name than their place.
          <div
            key={place}
            className="grid grid-cols-[minmax(0,1fr)_20rem] gap-8 narrow:grid-cols-1"
          >
            <ExplanationView {...view} />
            <ExplanationView {...view} isFolded />
          </div>
        )
      })}
    </Part>
  )
}
