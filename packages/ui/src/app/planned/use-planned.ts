import type { AppliedNamespace, PlannedApply } from '@svc/documents/files'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { messageOf } from '../../data/errors.ts'
import { readFailure } from '../../data/failed-apply.ts'
import { noteOwnRevision } from '../../data/live.ts'
import { readWhenReachable } from '../../data/settle.ts'

/** What a page shows of a plan, and what applies it. */
export interface WithPlan {
  /** Nothing where nothing would be written, or something has to be decided first. */
  readonly planned: PlannedApply | undefined
}

interface Options<P extends WithPlan> {
  /** What the plan is made of: with other choices it is made anew. */
  readonly choices: readonly unknown[]
  readonly make: (signal: AbortSignal) => Promise<P>
  /** Reads anew what is shown elsewhere of the namespaces of a plan. */
  readonly refresh: (plan: P) => Promise<void>
  readonly onDone: (applied: readonly AppliedNamespace[], plan: P) => void
}

/**
 * A plan that is looked at and then applied, once. After a failure it is made anew; when the answer was lost,
 * as soon as the service answers, and nothing may be done before.
 */
export function usePlanned<P extends WithPlan>({ choices, make, refresh, onDone }: Options<P>) {
  const id = useId()
  const [note, setNote] = useState<'stale' | 'unknown' | 'lost'>()
  const plan = useQuery({
    queryKey: ['planned', id, ...choices],
    queryFn: ({ signal }) => make(signal),
    // It is of the moment, and the service keeps a part of it.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const { data } = plan
  useEffect(() => () => void data?.planned?.discard().catch(() => {}), [data])

  const applying = useMutation({
    mutationFn: async ({ plan, comment }: { readonly plan: P; readonly comment: string }) =>
      (await plan.planned?.apply(comment === '' ? {} : { comment })) ?? [],
    async onSuccess(applied, { plan }) {
      for (const { namespaceKey, revision } of applied) noteOwnRevision(namespaceKey, revision)
      await refresh(plan)
      onDone(applied, plan)
    },
    async onError(error, { plan: tried }) {
      const kind = readFailure(error)
      if (kind !== 'refused') setNote(kind === 'stale' ? 'stale' : 'unknown')
      // What is shown, and what may be done next, is what there is then.
      await readWhenReachable(() => plan.refetch({ throwOnError: true })).catch(() => {})
      await refresh(tried)
      if (kind === 'lost') setNote('lost')
    },
  })
  const { error } = applying
  const isKnown = !plan.isFetching && !plan.isError && note !== 'unknown'
  return {
    plan,
    /** Nothing while it is not known what may be done. */
    current: isKnown ? data : undefined,
    isBusy: applying.isPending,
    note,
    /** Why the service has refused it. */
    refusal: error !== null && readFailure(error) === 'refused' ? messageOf(error) : undefined,
    apply(comment: string) {
      if (!isKnown || data === undefined || applying.isPending) return
      setNote(undefined)
      applying.mutate({ plan: data, comment: comment.trim() })
    },
  }
}
