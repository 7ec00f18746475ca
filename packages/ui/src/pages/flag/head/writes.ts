import type { FlagDocument } from '@svc/client/api'
import { createElement, useState } from 'react'
import { useDone } from '../../../app/done.tsx'
import { useLost } from '../../../app/lost.ts'
import { noteTurn } from '../../../app/switched/latest-turn.ts'
import { useSwitched } from '../../../app/switched/use-switched.ts'
import { showToast } from '../../../components/toast.tsx'
import { queryClient } from '../../../data/api.ts'
import { failureOf, isUnsettled } from '../../../data/errors.ts'
import { resumeFlag, servesOn, setEnabled, stopFlag } from '../../../data/flag-writes.ts'
import { flagDocumentQuery, refreshNamespace } from '../../../data/queries.ts'
import { stopOf } from '../../../data/stop.ts'
import type { Written } from '../../../data/writes.ts'
import { stateOf } from '../../../review/state.ts'
import { Rich } from '../../../text/rich.tsx'
import { useTexts } from '../../../text/texts.ts'
import type { Here } from '../here.ts'
import { isBoolean } from '../targeting/steps.ts'
import { flagTexts } from '../texts.ts'

/** What a write by itself makes of a flag, as far as a draft has to know. @param now as it is after it */
type Change = (now: FlagDocument) => (flag: FlagDocument) => FlagDocument

interface AtOnce {
  /** What is shown until the service has answered. */
  readonly shown: Partial<FlagDocument>
  readonly call: () => Promise<Written<unknown>>
  readonly change: Change
  /** Whether it is done, when its answer was lost. */
  readonly isDone: (now: FlagDocument) => boolean
  /** Whether none of its kind came after it, of what can be meanwhile. */
  readonly isLatest?: () => boolean
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

export interface FlagWrites {
  /** The flag with what is on its way to the service. */
  readonly shown: FlagDocument
  readonly turn: (enabled: boolean, comment?: string) => void
  readonly stop: (comment?: string) => void
  readonly resume: (comment?: string) => void
}

/** What is saved at once, each with Undo. An open draft goes on from it. */
export function useFlagWrites({
  namespace,
  flag,
  name,
  draft,
  segments,
  onRefused,
}: Pick<Here, 'namespace' | 'flag' | 'name' | 'draft' | 'segments' | 'onRefused'>): FlagWrites {
  const t = useTexts(flagTexts)
  const tellSwitched = useSwitched()
  const done = useDone()
  const settle = useLost()
  const [pending, setPending] = useState<Partial<FlagDocument>>()
  const id = { namespaceKey: namespace.key, key: flag.key }
  const query = flagDocumentQuery(id.namespaceKey, id.key)

  /** The draft goes on from what the service has now. */
  const carry = (change: Change) => {
    const now = queryClient.getQueryData(query.queryKey)
    if (now !== undefined) draft.rebase(now.value.flag, now.etag, change(now.value.flag))
  }
  const save = async ({ shown, call, change, isDone, isLatest, text, action }: AtOnce) => {
    setPending(shown)
    const finish = (revision?: number) => {
      carry(change)
      done(createElement(Rich, { text }), {
        namespaceKey: id.namespaceKey,
        revision,
        // What it was before is what it is now again.
        onUndone: () => carry(change),
        ...(action && { action }),
      })
    }
    const refuse = async (error: unknown) => {
      const { kind, message } = failureOf(error)
      if (kind === 'forbidden') onRefused(message)
      showToast(createElement(Rich, { text: t.notChanged(name, message) }), { isFailure: true })
      await queryClient.invalidateQueries(query)
    }
    const look = async () => {
      const { flag } = (await queryClient.fetchQuery({ ...query, staleTime: 0 })).value
      await refreshNamespace(id.namespaceKey)
      return isDone(flag)
    }
    try {
      finish((await call()).revision)
    } catch (error) {
      if (!isUnsettled(error)) return await refuse(error)
      setPending(undefined)
      // Others may have done the same: without a revision it is not for this page to take back.
      if ((await settle(name, look)) && isLatest?.() !== false) finish()
    } finally {
      setPending(undefined)
    }
  }
  const stop = (comment?: string) =>
    void save({
      shown: {},
      call: () => stopFlag(id, comment),
      change: toRollouts,
      isDone: (now) => stopOf(now) !== undefined,
      text: t.stoppedIn(name, namespace.name),
    })
  return {
    shown: { ...flag, ...pending },
    stop,
    turn(enabled, comment) {
      const next = { ...flag, enabled }
      const state = stateOf(next, segments.isForEveryone)
      const onShare = state.kind === 'boolean' ? state.share : 0
      const { text, isStillOn } = tellSwitched(name, namespace.name, {
        ...{ isBoolean: isBoolean(flag), enabled, share: onShare },
        servesOn: servesOn(flag),
      })
      // Where the namespace asks first, the menu does.
      const offersStop = isStillOn && !namespace.confirm
      void save({
        shown: { enabled },
        call: () => setEnabled(id, enabled, { comment }),
        change: (now) => (flag) => ({ ...flag, enabled: now.enabled }),
        isDone: (now) => now.enabled === enabled,
        isLatest: noteTurn(id),
        text,
        ...(offersStop && { action: { label: t.stop, run: stop } }),
      })
    },
    resume: (comment) =>
      void save({
        shown: {},
        call: () => resumeFlag(id, comment),
        change: toRollouts,
        isDone: (now) => stopOf(now) === undefined,
        text: t.resumedIn(name, namespace.name),
      }),
  }
}

/** The stop comes or goes; whatever else the draft has done to the rollouts stays. */
function toRollouts(now: FlagDocument): (flag: FlagDocument) => FlagDocument {
  const stop = stopOf(now)
  return (flag) => {
    const was = stopOf(flag)
    const others = flag.rollouts.filter((rollout) => rollout !== was)
    return { ...flag, rollouts: stop === undefined ? others : [stop, ...others] }
  }
}
