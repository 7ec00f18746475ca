export interface DemoNamespace {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly segments: readonly DemoSegment[]
  readonly flags: readonly DemoFlag[]
}

export interface DemoSegment {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly matchType: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE'
  readonly constraints: readonly object[]
}

export interface DemoFlag {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly type: 'BOOLEAN_FLAG_TYPE' | 'VARIANT_FLAG_TYPE'
  readonly enabled: boolean
  /** The first is what is served when no rule says otherwise. */
  readonly variants?: readonly { readonly key: string; readonly attachment: object }[]
  readonly rollouts?: readonly object[]
  readonly rules?: readonly {
    readonly segmentKey: string
    /** Percentages by the key of the variant. */
    readonly distributions: Readonly<Record<string, number>>
  }[]
}

const segments: DemoSegment[] = [
  {
    key: 'beta-users',
    name: 'Beta users',
    description: 'On the beta plan, or one of those who asked to be among them.',
    matchType: 'ANY_MATCH_TYPE',
    constraints: [
      { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'beta' },
      {
        type: 'ENTITY_ID_COMPARISON_TYPE',
        property: 'entityId',
        operator: 'isoneof',
        value: '["user-1","user-2","user-3"]',
      },
    ],
  },
  {
    key: 'eu-customers',
    name: 'EU customers',
    description: 'In one of these countries, and not opted out of experiments.',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [
      {
        type: 'STRING_COMPARISON_TYPE',
        property: 'country',
        operator: 'isoneof',
        value: '["AT","DE","ES","FR","IT","NL","PL","PT","SE"]',
      },
      { type: 'BOOLEAN_COMPARISON_TYPE', property: 'opted_out', operator: 'notpresent' },
    ],
  },
  {
    key: 'staff',
    name: 'Staff',
    description: 'Everyone with an address of the company.',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [
      {
        type: 'STRING_COMPARISON_TYPE',
        property: 'email',
        operator: 'suffix',
        value: '@example.com',
      },
    ],
  },
]

const flags: DemoFlag[] = [
  {
    key: 'new-checkout',
    name: 'New checkout',
    description: 'Beta users have it, and a quarter of everyone else.',
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: false,
    rollouts: [
      { description: 'all beta users', segment: { segmentKey: 'beta-users', value: true } },
      { description: 'a quarter of the rest', threshold: { percentage: 25, value: true } },
    ],
  },
  {
    key: 'theme-color',
    name: 'Theme colour',
    description: 'An experiment among EU customers; all others see blue.',
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    variants: [
      { key: 'blue', attachment: { primary: '#1d4ed8', text: '#ffffff' } },
      { key: 'green', attachment: { primary: '#15803d', text: '#ffffff' } },
      { key: 'amber', attachment: { primary: '#f59e0b', text: '#111827' } },
    ],
    rules: [{ segmentKey: 'eu-customers', distributions: { blue: 60, green: 30, amber: 10 } }],
  },
  {
    key: 'beta-banner',
    name: 'Beta banner',
    description: 'Off for everyone until somebody turns it on.',
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: false,
  },
  {
    key: 'api-limits',
    name: 'API limits',
    description: 'No rules, only a value: settings that change without a release.',
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    variants: [{ key: 'standard', attachment: { requestsPerMinute: 600, burst: 50 } }],
  },
  {
    key: 'kill-switch',
    name: 'Kill switch',
    description: 'On while payments are taken; turn it off to stop them at once.',
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: true,
  },
  {
    key: 'old-search',
    name: 'Old search',
    description: 'Long since off for everyone but staff: remove it from the code, then here.',
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: false,
    rollouts: [{ description: '', segment: { segmentKey: 'staff', value: true } }],
  },
]

/** A few things to look at, each of which shows one idea. */
export const demoNamespaces: DemoNamespace[] = [
  { key: 'default', name: 'Default', description: 'Default namespace', segments, flags },
  {
    key: 'staging',
    name: 'Staging',
    description: 'The same keys with other states.',
    segments: [],
    flags: [
      {
        key: 'new-checkout',
        name: 'New checkout',
        description: 'Everyone has it here.',
        type: 'BOOLEAN_FLAG_TYPE',
        enabled: true,
      },
    ],
  },
]
