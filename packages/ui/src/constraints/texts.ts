import { defineTexts } from '../text/texts.ts'

const en = {
  kinds: {
    STRING_COMPARISON_TYPE: 'Text',
    NUMBER_COMPARISON_TYPE: 'Number',
    BOOLEAN_COMPARISON_TYPE: 'True or false',
    DATETIME_COMPARISON_TYPE: 'Date',
    ENTITY_ID_COMPARISON_TYPE: 'Entity',
  },
  /** What the id of the entity is called in a sentence. */
  entity: 'the entity',
  operators: {
    eq: 'is',
    neq: 'is not',
    isoneof: 'is one of',
    isnotoneof: 'is none of',
    contains: 'contains',
    notcontains: 'does not contain',
    prefix: 'begins with',
    suffix: 'ends with',
    empty: 'is missing or empty',
    notempty: 'is there',
    lt: 'is below',
    lte: 'is at most',
    gt: 'is above',
    gte: 'is at least',
    present: 'is there',
    notpresent: 'is missing',
    true: 'is true',
    false: 'is false',
  },
  /** What the operators of order are called between dates. */
  dates: {
    lt: 'is before',
    lte: 'is no later than',
    gt: 'is after',
    gte: 'is no earlier than',
  },
  values: (count: string) => `${count} values`,
  at: (time: string) => `${time} UTC`,
  /** Between the parts of a sentence. */
  and: ', and ',
  or: ', or ',
  more: (count: string) => `${count} more`,
  noConstraints: 'It has no constraints',
}

export type ConstraintTexts = typeof en

export const constraintTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
