import type { OperationInput } from '@svc/client/api'
import type { Request } from '../../support/http.ts'

/** Does several operations in one change, as someone else would. @returns its revision */
export async function apply(
  api: Request,
  namespaceKey: string,
  ...operations: readonly OperationInput[]
): Promise<number> {
  const { status, body, text } = await api('POST', `/api/v1/namespaces/${namespaceKey}/apply`, {
    operations,
  })
  if (status !== 200) throw new Error(`it was not applied: ${text}`)
  return (body as { readonly revision: number }).revision
}

export function booleanFlag(
  key: string,
  flag: Partial<NonNullable<OperationInput['flag']>> = {},
): OperationInput {
  return {
    kind: 'FLAG_KIND',
    key,
    flag: { type: 'BOOLEAN_FLAG_TYPE', name: nameOf(key), ...flag },
  }
}

/** The first of its variants is the default. */
export function variantFlag(
  key: string,
  variants: readonly string[],
  flag: Partial<NonNullable<OperationInput['flag']>> = {},
): OperationInput {
  return {
    kind: 'FLAG_KIND',
    key,
    flag: {
      type: 'VARIANT_FLAG_TYPE',
      name: nameOf(key),
      enabled: true,
      variants: variants.map((key, place) => ({ key, default: place === 0 })),
      ...flag,
    },
  }
}

/** Without constraints everyone belongs to it. */
export function segment(
  key: string,
  constraints: NonNullable<OperationInput['segment']>['constraints'] = [],
): OperationInput {
  return {
    kind: 'SEGMENT_KIND',
    key,
    segment: { name: nameOf(key), matchType: 'ALL_MATCH_TYPE', constraints },
  }
}

export const inGermany = {
  property: 'country',
  type: 'STRING_COMPARISON_TYPE',
  operator: 'eq',
  value: 'DE',
} as const

/** Something of everything: each kind of flag, rule, rollout, segment and constraint. */
export function everything(): readonly OperationInput[] {
  const operators = [
    {
      property: 'email',
      type: 'STRING_COMPARISON_TYPE',
      operator: 'suffix',
      value: '@example.com',
    },
    { property: 'age', type: 'NUMBER_COMPARISON_TYPE', operator: 'gte', value: '18' },
    { property: 'beta', type: 'BOOLEAN_COMPARISON_TYPE', operator: 'true' },
    {
      property: 'signedUp',
      type: 'DATETIME_COMPARISON_TYPE',
      operator: 'lt',
      value: '2026-01-01T00:00:00Z',
    },
  ] as const
  return [
    segment('germany', [inGermany]),
    segment('beta-users', operators),
    segment('everyone'),
    booleanFlag('new-checkout', {
      description: 'The checkout in one page',
      metadata: { tags: ['checkout', 'experiment', 'web'], owner: 'shop' },
      rollouts: [
        { segment: { segments: ['beta-users', 'germany'], value: true } },
        { threshold: { percentage: 25, value: true } },
      ],
    }),
    booleanFlag('kill-switch', { enabled: true }),
    variantFlag('theme', ['blue', 'red', 'green'], {
      rules: [
        {
          segments: ['germany'],
          distributions: [
            { variant: 'blue', rollout: 60 },
            { variant: 'red', rollout: 30 },
          ],
        },
        { segments: ['everyone'], distributions: [{ variant: 'green', rollout: 100 }] },
      ],
    }),
    variantFlag('disabled', ['one', 'two'], { enabled: false }),
  ]
}

function nameOf(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1).replaceAll('-', ' ')
}
