/**
 * How answers are written: fixed schemas, compiled once, so that writing one costs next to nothing.
 * They follow proto/svc/evaluation/v1; a contract test holds the two together.
 */
const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const number = { type: 'number' } as const
const flag = { type: 'boolean' } as const

const booleanAnswer = {
  type: 'object',
  properties: {
    enabled: flag,
    reason: text,
    requestId: text,
    requestDurationMillis: number,
    timestamp: text,
    flagKey: text,
    segmentKeys: texts,
  },
} as const

const variantAnswer = {
  type: 'object',
  properties: {
    match: flag,
    segmentKeys: texts,
    reason: text,
    variantKey: text,
    variantAttachment: text,
    requestId: text,
    requestDurationMillis: number,
    timestamp: text,
    flagKey: text,
  },
} as const

const errorAnswer = {
  type: 'object',
  properties: { flagKey: text, namespaceKey: text, reason: text },
} as const

const batchAnswer = {
  type: 'object',
  properties: {
    requestId: text,
    responses: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: text,
          booleanResponse: booleanAnswer,
          variantResponse: variantAnswer,
          errorResponse: errorAnswer,
        },
      },
    },
    requestDurationMillis: number,
  },
} as const

const legacyAnswer = {
  type: 'object',
  properties: {
    requestId: text,
    entityId: text,
    requestContext: { type: 'object', additionalProperties: text },
    match: flag,
    flagKey: text,
    segmentKey: text,
    timestamp: text,
    value: text,
    requestDurationMillis: number,
    attachment: text,
    reason: text,
    namespaceKey: text,
    segmentKeys: texts,
  },
} as const

const legacyBatchAnswer = {
  type: 'object',
  properties: {
    requestId: text,
    responses: { type: 'array', items: legacyAnswer },
    requestDurationMillis: number,
  },
} as const

export const answerSchemas = {
  booleanAnswer,
  variantAnswer,
  batchAnswer,
  legacyAnswer,
  legacyBatchAnswer,
}
