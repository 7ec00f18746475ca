import type { ServiceAccount } from './verdict.ts'

const prefix = 'io.svc.auth.orchestrator.'

/** What is noted of a workload: always these five. */
export function workloadMetadata(account: ServiceAccount): Record<string, string> {
  return {
    [`${prefix}namespace`]: account.namespace,
    [`${prefix}pod.name`]: account.podName,
    [`${prefix}pod.uid`]: account.podUid,
    [`${prefix}serviceaccount.name`]: account.name,
    [`${prefix}serviceaccount.uid`]: account.uid,
  }
}
