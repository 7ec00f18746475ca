/** What a member of a file holds. */
export type FileMember =
  | 'text'
  | 'boolean'
  | 'number'
  /** Any JSON object. */
  | 'object'
  /** Any JSON. */
  | 'json'
  /** Read by a function of its own. */
  | 'special'

/** The members of one kind of object in files, in the order in which they are written. */
export interface FileShape {
  /** In messages, such as `a rule`. */
  readonly title: string
  readonly members: Readonly<Record<string, FileMember>>
}

/** Contract of the established v1 API, section 7.1. */
export const fileShapes = {
  document: {
    title: 'a document',
    members: { version: 'text', namespace: 'special', flags: 'special', segments: 'special' },
  },
  namespace: {
    title: 'a namespace',
    members: { key: 'text', name: 'text', description: 'text' },
  },
  flag: {
    title: 'a flag',
    members: {
      key: 'text',
      name: 'text',
      type: 'special',
      description: 'text',
      enabled: 'boolean',
      metadata: 'object',
      variants: 'special',
      rules: 'special',
      rollouts: 'special',
    },
  },
  variant: {
    title: 'a variant',
    members: {
      default: 'boolean',
      key: 'text',
      name: 'text',
      description: 'text',
      attachment: 'json',
    },
  },
  rule: {
    title: 'a rule',
    members: { segment: 'special', rank: 'number', distributions: 'special' },
  },
  segments: {
    title: 'the segments of a rule',
    members: { keys: 'special', operator: 'special' },
  },
  distribution: {
    title: 'a distribution',
    members: { variant: 'text', rollout: 'number' },
  },
  rollout: {
    title: 'a rollout',
    members: { description: 'text', segment: 'special', threshold: 'special' },
  },
  share: {
    title: 'a segment of a rollout',
    members: { key: 'text', keys: 'special', operator: 'special', value: 'boolean' },
  },
  threshold: {
    title: 'a threshold',
    members: { percentage: 'number', value: 'boolean' },
  },
  segment: {
    title: 'a segment',
    members: {
      key: 'text',
      name: 'text',
      description: 'text',
      constraints: 'special',
      match_type: 'special',
    },
  },
  constraint: {
    title: 'a constraint',
    members: {
      type: 'special',
      property: 'text',
      operator: 'text',
      value: 'text',
      description: 'text',
    },
  },
} as const satisfies Readonly<Record<string, FileShape>>
