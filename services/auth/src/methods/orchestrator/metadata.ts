import type { ServiceAccount } from './verdict.ts'

const keys = {
  namespace: 'io.svc.auth.orchestrator.namespace',
  podName: 'io.svc.auth.orchestrator.pod.name',
  podUid: 'io.svc.auth.orchestrator.pod.uid',
  name: 'io.svc.auth.orchestrator.serviceaccount.name',
  uid: 'io.svc.auth.orchestrator.serviceaccount.uid',
} as const

/** What is noted of a workload: always these five. */
export function workloadMetadata(account: ServiceAccount): Record<string, string> {
  return {
    [keys.namespace]: account.namespace,
    [keys.podName]: account.podName,
    [keys.podUid]: account.podUid,
    [keys.name]: account.name,
    [keys.uid]: account.uid,
  }
}

/** What a workload is called in messages, for example `shop:client`; nothing when it is none. */
export function workloadName(metadata: Readonly<Record<string, string>>): string | undefined {
  const { [keys.namespace]: namespace, [keys.name]: name } = metadata
  return name === undefined ? undefined : `${namespace}:${name}`
}
