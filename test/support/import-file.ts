import { toDocument } from '@svc/documents'
import { writeNamespace } from '@svc/documents/files'

/**
 * A file of flags as people write them: each with two rollouts, a tag and an owner, or two variants and a rule.
 *
 * @param round differs in every flag from the one before
 */
export function importFile(count: number, round: number): string {
  const flags = Array.from({ length: count }, (_, n) =>
    toDocument('flag', {
      ...{ key: `flag-${n}`, name: `Round ${round}`, enabled: true },
      description: `Shows page ${n} to some of the customers`,
      metadata: { owner: `team-${n % 12}`, tags: [`tag-${n % 10}`] },
      ...(n % 2 === 0 ? booleanPart(n) : variantPart(n)),
    }),
  )
  const staff = toDocument('segment', {
    ...{ key: 'staff', name: 'Staff' },
    constraints: [
      { type: 'STRING_COMPARISON_TYPE', property: 'mail', operator: 'suffix', value: '@us' },
    ],
  })
  const settings = { name: 'Default', description: 'Default namespace' }
  const content = { namespaceKey: 'default', settings, flags, segments: [staff] }
  return [...writeNamespace(content, { format: 'yaml', isFirst: true })].join('')
}

function booleanPart(n: number): object {
  return {
    type: 'BOOLEAN_FLAG_TYPE',
    rollouts: [
      { segment: { segments: ['staff'], value: true } },
      { threshold: { percentage: n % 100, value: true } },
    ],
  }
}

function variantPart(n: number): object {
  return {
    variants: [
      { key: 'near', attachment: `{"level":${n},"of":12345678901234567890}` },
      { key: 'far', default: true },
    ],
    rules: [
      {
        segments: ['staff'],
        distributions: [
          { variant: 'near', rollout: 33.33 },
          { variant: 'far', rollout: 66.67 },
        ],
      },
    ],
  }
}
