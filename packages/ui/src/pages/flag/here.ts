import type { FlagDocument, StoredFlag } from '@svc/client/api'
import { createContext, useContext } from 'react'
import type { PageNamespace } from '../../app/namespace.ts'
import type { DraftHandle } from '../../data/drafts.ts'
import type { Segments } from './segments.ts'

/** What is saved at once: a switch that is turned, Stop, and Resume. */
export type ChangeAtOnce = 'on' | 'off' | 'stop' | 'resume'

/** The flag of the page, for its head and its tabs. */
export interface Here {
  readonly namespace: PageNamespace
  readonly stored: StoredFlag
  /** As the service has it. */
  readonly flag: FlagDocument
  /** Of that, for `If-Match`. */
  readonly etag: string | undefined
  readonly name: string
  readonly draft: DraftHandle<FlagDocument>
  readonly segments: Segments
  /** What others have changed under the reader's eyes: the ids of rules and rollouts. */
  readonly glowing: ReadonlySet<string>
  /** Who has changed the flag last while it was open, and when. */
  readonly news: { readonly name: string | undefined; readonly at: string } | undefined
  /** Why nothing can be written now; nothing when it can. */
  readonly readOnlyReason: string | undefined
  /** Does at once what people get by it; asks first where that is wanted. */
  readonly doAtOnce: (change: ChangeAtOnce) => void
  /** Is told of the reason for which the service refuses this session's writes. */
  readonly onRefused: (reason: string) => void
}

const HereContext = createContext<Here | undefined>(undefined)

export const HereProvider = HereContext.Provider

/** @returns the flag of the page that the component is in */
export function useFlag(): Here {
  const here = useContext(HereContext)
  if (here === undefined) throw new Error('useFlag is for what is inside of the page of a flag')
  return here
}
