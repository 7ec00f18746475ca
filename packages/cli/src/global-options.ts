import { option } from './options.ts'

/** Options that every command has. */
export const globalOptions = {
  url: option.text('-a, --url URL', 'where the service is; also --address (SVC_URL)'),
  address: option.text('--address URL', 'the same as --url'),
  tokenFile: option.text('--token-file FILE', 'a file with the token; - for stdin', {
    completes: 'files',
  }),
  token: option.text(
    '-t, --token TOKEN',
    'the token itself; use --token-file or SVC_TOKEN instead',
  ),
  namespace: option.text('-n, --namespace KEY', 'the namespace (SVC_NAMESPACE)', {
    completes: 'namespaces',
  }),
  profile: option.text('--profile NAME', 'a login that `svc login --profile NAME` made'),
  comment: option.text('--comment TEXT', 'why, for the history of what is written'),
  json: option.flag('--json', 'print JSON: one value, or for a list one on each line'),
  quiet: option.flag('--quiet', 'print results and errors only'),
}

/** Those that help does not list: other names of listed ones. */
export const hiddenOptions: ReadonlySet<string> = new Set(['address'])

export type GlobalValues = {
  readonly [Name in keyof typeof globalOptions]: ReturnType<(typeof globalOptions)[Name]['read']>
}
