import type { FlagDocument } from '@svc/client/api'
import { useEffect, useState } from 'react'
import { queryClient } from '../../data/api.ts'
import { isEqual } from '../../data/draft.ts'
import { useLive } from '../../data/live.ts'
import { personOfActor } from '../../data/people.ts'
import { flagDocumentQuery, segmentsQuery } from '../../data/queries.ts'
import { touches } from '../../data/touched.ts'
import type { Here } from './here.ts'
import { stepsOf } from './targeting/steps.ts'

const nothing: ReadonlySet<string> = new Set()

/** Reads a flag anew when others have changed it, and says what that was. */
export function useFlagNews(namespaceKey: string, flagKey: string): Pick<Here, 'glowing' | 'news'> {
  const { news } = useLive(namespaceKey)
  const [glowing, setGlowing] = useState(nothing)
  const change = news.findLast((change) => touches(change, 'FLAG_KIND', flagKey))
  const revision = change?.revision
  const ofSegments = news.findLast((change) => touches(change, 'SEGMENT_KIND'))?.revision

  useEffect(() => {
    if (revision === undefined) return
    const { queryKey } = flagDocumentQuery(namespaceKey, flagKey)
    const before = queryClient.getQueryData(queryKey)
    queryClient.invalidateQueries({ queryKey }).then(
      () => {
        const now = queryClient.getQueryData(queryKey)
        if (before !== undefined && now !== undefined)
          setGlowing(changedIn(before.value.flag, now.value.flag))
      },
      () => {},
    )
  }, [namespaceKey, flagKey, revision])
  useEffect(() => {
    if (ofSegments === undefined) return
    void queryClient.invalidateQueries(segmentsQuery(namespaceKey))
  }, [namespaceKey, ofSegments])

  return {
    glowing,
    news: change && { name: personOfActor(change.actor)?.name, at: change.at },
  }
}

/** The ids of what is new or other than it was. */
function changedIn(before: FlagDocument, now: FlagDocument): ReadonlySet<string> {
  const steps = stepsOf(now).filter(
    (step) => !stepsOf(before).some((was) => was.id === step.id && isEqual(was, step)),
  )
  const ids = steps.map(({ id }) => id)
  return new Set(before.enabled === now.enabled ? ids : [...ids, 'else'])
}
