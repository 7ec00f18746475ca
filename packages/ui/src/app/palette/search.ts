import type { Flag, Namespace, Segment } from '@svc/client/api'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../data/api.ts'
import { withText } from '../with-text.ts'
import { rank } from './rank.ts'

/** What is typed is asked for after a pause of this length, in milliseconds. */
const pauseMs = 120
/** How many of each are shown, and how many other namespaces are asked. */
const maxFlags = 6
/** How many are read, to find those whose name begins with the text. */
const readFlags = 30
const maxSegments = 4
const maxElsewhere = 3
const maxNamespaces = 6

export interface Found {
  readonly flags: readonly Flag[]
  readonly segments: readonly Segment[]
  readonly elsewhere: readonly (Flag & { readonly namespaceName: string })[]
}

const nothing: Found = { flags: [], segments: [], elsewhere: [] }

/** Looks for flags and segments, here first. Nothing is asked for without a text. */
export function useSearchEverywhere(
  text: string,
  current: Namespace | undefined,
  all: readonly Namespace[],
): Found {
  const [q, setQ] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setQ(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['palette', current?.key, q],
    enabled: current !== undefined && q.length > 0 && q.length <= 256,
    placeholderData: keepPreviousData,
    async queryFn({ signal }): Promise<Found> {
      if (current === undefined) return nothing
      const others = all.filter(({ key }) => key !== current.key).slice(0, maxNamespaces)
      const flagsOf = async (namespaceKey: string, limit: number) =>
        (
          await api.flags.list(
            { namespaceKey, q, limit, sort: 'name', view: 'SUMMARY' },
            { signal },
          )
        ).flags
      const [flags, { segments }, ...elsewhere] = await Promise.all([
        flagsOf(current.key, readFlags),
        api.segments.list(
          { namespaceKey: current.key, q, limit: maxSegments, sort: 'name' },
          { signal },
        ),
        ...others.map(async ({ key, name }) =>
          // Without one that does not answer, the others are found all the same.
          rank(await flagsOf(key, readFlags).catch(() => []), q)
            .slice(0, maxElsewhere)
            .map((flag) => ({
              ...flag,
              namespaceName: name || key,
            })),
        ),
      ])
      return {
        flags: rank(flags, q).slice(0, maxFlags),
        segments,
        elsewhere: elsewhere.flat().slice(0, maxFlags),
      }
    },
  })
  if (text === '' || data === undefined) return nothing
  return isPlaceholderData || q !== text ? among(data, text) : data
}

/** Of what a text before has found, what this one finds as well. */
function among({ flags, segments, elsewhere }: Found, text: string): Found {
  return {
    flags: withText(flags, text),
    segments: withText(segments, text),
    elsewhere: withText(elsewhere, text),
  }
}
