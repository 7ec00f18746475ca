import type { ServiceAccount } from './verdict.ts'

const keys = {
  namespace: 'io.svc.auth.orchestrator.namespace',
  podName: 'io.svc.auth.orchestrator.pod.name',
  podUid: 'io.svc.auth.orchestrator.pod.uid',
  name: 'io.svc.auth.orchestrator.serviceaccount.name',
  uid: 'io.svc.auth.orchestrator.serviceaccount.uid',
} as const

/** The metadata of a workload: always these five. */
export function workloadMetadata(account: ServiceAccount): Record<string, string> {
  return {
    [keys.namespace]: account.namespace,
    [keys.podName]: account.podName,
    [keys.podUid]: account.podUid,
    [keys.name]: account.name,
    [keys.uid]: account.uid,
  }
}

/** The name of a workload in messages, for example `shop:client`; `undefined` for other metadata. */
export function workloadName(metadata: Readonly<Record<string, string>>): string | undefined {
  const { [keys.namespace]: namespace, [keys.name]: name } = metadata
  return name === undefined ? undefined : `${namespace}:${name}`
}
