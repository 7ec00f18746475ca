/**
 * How answers are written: fixed schemas, as for the other evaluations. They follow
 * proto/svc/ofrep/v1; a contract test holds the two together.
 */
const text = { type: 'string' } as const

const evaluatedFlag = {
  type: 'object',
  properties: {
    key: text,
    reason: text,
    variant: text,
    value: { type: ['boolean', 'string'] },
    metadata: { type: 'object', properties: { segments: text, attachment: text } },
    errorCode: text,
    errorDetails: text,
  },
} as const

const evaluatedFlags = {
  type: 'object',
  properties: {
    flags: { type: 'array', items: evaluatedFlag },
    eventStreams: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: text,
          endpoint: { type: 'object', properties: { requestUri: text } },
          inactivityDelaySec: { type: 'integer' },
        },
      },
    },
  },
} as const

export const ofrepSchemas = { evaluatedFlag, evaluatedFlags }
