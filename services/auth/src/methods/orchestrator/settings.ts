import { methodSection, methodSwitch, notEmpty, present, type SettingsOf } from '@svc/config'
import {
  bool,
  duration,
  line,
  listOf,
  optional,
  outboundUrl,
  path,
  section,
  text,
} from '@svc/config/kinds'
import { cleanup, tokenManagement } from '../../credentials/settings.ts'
import { encrypted, outboundSettings } from '../../outbound/settings.ts'

const serviceAccount = text(
  'namespace:name or namespace:name=flags, each with * for any',
  (value) =>
    /^(?:\*|(?:[a-z0-9*.-]{1,253}:[a-z0-9*.-]{1,253}))(?:=[-_A-Za-z0-9]{1,255})?$/.test(value),
)

const schema = section({
  enabled: methodSwitch('orchestrator').describe(
    'Whether workloads of the cluster can exchange their service-account tokens.',
  ),
  cleanup: cleanup('tokens of workloads'),
  apiUrl: outboundUrl()
    .prefault('https://kubernetes.default.svc')
    .describe('The API server of the cluster.'),
  caFile: path()
    .prefault('/var/run/secrets/kubernetes.io/serviceaccount/ca.crt')
    .describe('A file with the CA certificates, in PEM, of the API server.'),
  tokenFile: path()
    .prefault('/var/run/secrets/kubernetes.io/serviceaccount/token')
    .describe('A file with the token by which this service calls the API server.'),
  audience: optional(line('an audience'), 'flags').describe(
    'The audience that the tokens of workloads must be made for.',
  ),
  allowApiServerAudience: bool(false).describe("Whether the audience may be the API server's own."),
  serviceAccounts: listOf(serviceAccount).describe(
    'Which service accounts may, as namespace:name; =flags binds to a namespace.',
  ),
  maxTtl: duration(3_600_000)
    .prefault('1h')
    .describe('How long a client token made for a workload lasts, at most 1h.'),
  tokenManagement: tokenManagement('workloads'),
  allowInsecure: outboundSettings.allowInsecure,
})

export type OrchestratorSettings = SettingsOf<typeof schema>

export const orchestratorSection = methodSection(schema, (orchestrator) => {
  const { allowInsecure, apiUrl, audience, enabled, serviceAccounts } = orchestrator
  if (!enabled) return []
  const key = 'authentication.methods.orchestrator'
  return [
    present(`${key}.audience`, audience),
    encrypted(`${key}.api_url`, apiUrl, allowInsecure),
    notEmpty(`${key}.service_accounts`, serviceAccounts, 'is empty, so that none may'),
  ]
})
