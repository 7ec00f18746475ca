import type { Command } from './command.ts'

/** In the order of help. */
export const groupTitles = [
  'Who',
  'Flags',
  'Ask',
  'Files',
  'Change',
  'Admin',
  'Insight',
  'Help',
] as const

/** A file of commands, loaded when one of its words is used. */
export interface Group {
  /** Under which its commands are listed. */
  readonly title: (typeof groupTitles)[number]
  /** The first words of its commands, each with a line about it. */
  readonly words: Readonly<Record<string, string>>
  load(): Promise<{ readonly commands: readonly Command[] }>
}

/** All commands. Each group adds its row here and its file to `commands/`. */
export const groups: readonly Group[] = [
  {
    title: 'Who',
    words: {
      login: 'log in at a service',
      logout: 'forget a login',
      whoami: 'who is logged in',
    },
    load: () => import('./commands/who.ts'),
  },
  {
    title: 'Flags',
    words: { flags: 'flags of a namespace' },
    load: () => import('./commands/flags.ts'),
  },
  {
    title: 'Flags',
    words: { segments: 'segments of a namespace' },
    load: () => import('./commands/segments.ts'),
  },
  {
    title: 'Flags',
    words: { ns: 'namespaces' },
    load: () => import('./commands/namespaces.ts'),
  },
  {
    title: 'Ask',
    words: { evaluate: 'ask what a flag serves', explain: 'ask why a flag serves what it does' },
    load: () => import('./commands/ask.ts'),
  },
  {
    title: 'Files',
    words: {
      export: 'write namespaces to a file',
      import: 'create what is in files',
      validate: 'check files without a service',
    },
    load: () => import('./commands/files.ts'),
  },
  {
    title: 'Admin',
    words: { tokens: 'static tokens' },
    load: () => import('./commands/tokens.ts'),
  },
  {
    title: 'Admin',
    words: { sessions: 'logins of people' },
    load: () => import('./commands/sessions.ts'),
  },
  {
    title: 'Admin',
    words: { events: 'what happened to tokens, logins and sessions' },
    load: () => import('./commands/events.ts'),
  },
  {
    title: 'Insight',
    words: { status: 'which gateways have the last change' },
    load: () => import('./commands/status.ts'),
  },
  {
    title: 'Help',
    words: { doctor: 'find out what is wrong on the way to the service and with it' },
    load: () => import('./commands/doctor.ts'),
  },
  {
    title: 'Help',
    words: { completion: 'print the completion of a shell', __complete: '' },
    load: () => import('./commands/completion.ts'),
  },
  {
    title: 'Change',
    words: { changes: 'the history of a namespace' },
    load: () => import('./commands/changes.ts'),
  },
  {
    title: 'Change',
    words: { promote: 'flags of one namespace into another' },
    load: () => import('./commands/promote.ts'),
  },
  {
    title: 'Change',
    words: { undo: 'what a change has changed' },
    load: () => import('./commands/undo.ts'),
  },
  {
    title: 'Files',
    words: { diff: 'what files would change', apply: 'what is in files' },
    load: () => import('./commands/apply.ts'),
  },
  {
    title: 'Files',
    words: { sync: 'namespaces as a folder says' },
    load: () => import('./commands/sync.ts'),
  },
  {
    title: 'Files',
    words: { restore: 'a namespace as it was' },
    load: () => import('./commands/restore.ts'),
  },
]

/** A command with where it is listed. */
export interface Loaded {
  readonly group: Group
  readonly command: Command
}

/** Commands of the groups that have this first word, in the order of help; of all groups when none has it. */
export async function loadCommands(word?: string): Promise<readonly Loaded[]> {
  const meant = groups.filter(({ words }) => word !== undefined && Object.hasOwn(words, word))
  const wanted = meant.length === 0 ? groups : meant
  const placeOf = ({ title }: Group) => groupTitles.indexOf(title)
  const loaded = await Promise.all(
    wanted
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map(async (group) => {
        const { commands } = await group.load()
        return commands.map((command) => ({ group, command }))
      }),
  )
  return loaded.flat()
}
