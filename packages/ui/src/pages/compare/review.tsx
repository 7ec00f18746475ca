import type { PromotedObject, Resolution } from '@svc/documents'
import { ArrowRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { useDone } from '../../app/done.tsx'
import { PageError } from '../../app/page-error.tsx'
import { PlannedNotes } from '../../app/planned/notes.tsx'
import { usePlanned } from '../../app/planned/use-planned.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useMounted } from '../../app/use-mounted.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Keys } from '../../components/keys.tsx'
import { Note } from '../../components/note.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { componentTexts } from '../../components/texts.ts'
import { NamespaceName } from '../../components/tile.tsx'
import { WhyField } from '../../components/why-field.tsx'
import { queryClient } from '../../data/api.ts'
import { refreshNamespace } from '../../data/queries.ts'
import { svc } from '../../data/terminal.ts'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { leftOut } from './left-out.ts'
import { contentQuery, nameOfObject, type Promotion, planChoice } from './promotion.ts'
import { ReviewObject } from './review-object.tsx'
import { compareTexts } from './texts.ts'

interface Named {
  readonly key: string
  readonly name: string
  readonly color?: string
}

interface Props {
  readonly from: Named
  readonly to: Named
  readonly flagKeys: readonly string[]
  readonly segmentKeys: readonly string[]
  readonly onClose: () => void
  readonly onSaved: () => void
}

/** Objects that are shown; all of them are saved. */
const maxObjects = 100

/** What a namespace gets from another one, before it is saved as one change. */
export default function CompareReview({
  from,
  to,
  flagKeys,
  segmentKeys,
  onClose,
  onSaved,
}: Props) {
  const t = useTexts(compareTexts)
  const c = useTexts(componentTexts)
  const { number, list } = useFormat()
  const done = useDone()
  const offlineReason = useOfflineReason()
  const isMounted = useMounted()
  const [withState, setWithState] = useState(false)
  const [more, setMore] = useState<readonly string[]>([])
  const [resolutions, setResolutions] = useState<Readonly<Record<string, Resolution>>>({})
  const [comment, setComment] = useState('')
  const toName = to.name || to.key

  const segments = [...segmentKeys, ...more]
  const { plan, current, isBusy, note, refusal, apply } = usePlanned<Promotion>({
    choices: [withState, segments, resolutions],
    make: (signal) =>
      planChoice(
        from.key,
        to.key,
        { flagKeys, segmentKeys: segments, withState, resolutions },
        signal,
      ),
    async refresh() {
      await refreshNamespace(to.key)
      for (const { key } of [from, to]) await queryClient.invalidateQueries(contentQuery(key))
    },
    onDone([applied], { planned }) {
      const count = planned?.plans[0]?.items.length ?? 0
      if (isMounted()) onSaved()
      done(<Rich text={t.saved(count, number(count), toName)} />, {
        namespaceKey: to.key,
        revision: applied?.revision,
      })
    },
  })
  const written = plan.data?.planned?.plans[0]?.items ?? []
  const objects = plan.data?.plan.objects.filter(({ verdict }) => verdict !== 'equal') ?? []
  const isOpen = objects.some(({ verdict }) => verdict === 'conflict')
  const others = useMemo(
    () => (plan.data === undefined ? [] : leftOut(plan.data, flagKeys)),
    [plan.data, flagKeys],
  )
  const reason =
    offlineReason ??
    (current === undefined
      ? c.loading
      : isOpen
        ? t.decide
        : current.planned === undefined
          ? t.nothing
          : undefined)
  const save = () => {
    if (reason === undefined) apply(comment)
  }
  useShortcuts({ 'mod+Enter': save })
  // A command decides all conflicts alike.
  const decisions = [...new Set(Object.values(resolutions))]
  const isOneWay = decisions.length <= 1
  const nameOfFlag = (key: string) =>
    plan.data?.source.flags.find((flag) => flag.key === key)?.name || key
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      onSubmit={save}
      isFirm={isBusy}
      isDirty={comment !== '' && !isBusy}
      title={
        <span className="flex flex-wrap items-center gap-2">
          <NamespaceName namespace={from} />
          <Icon of={ArrowRight} small />
          <NamespaceName namespace={to} />
        </span>
      }
      footer={
        <>
          <Button onClick={onClose}>{t.back}</Button>
          <Button look="primary" type="submit" isBusy={isBusy} disabledReason={reason}>
            {t.saveTo(toName)}
            <Keys of="mod Enter" onInk className="narrow:hidden" />
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <PlannedNotes note={note} refusals={[refusal]} />
        {plan.isError && note !== 'unknown' && (
          <PageError isPage={false} error={plan.error} reset={() => void plan.refetch()} />
        )}
        {plan.isPending && (
          <Waiting>
            <SkeletonRows />
          </Waiting>
        )}
        {plan.data !== undefined && (
          <>
            <p className="text-13 text-muted">
              {written.length > 0
                ? t.together(written.length, number(written.length))
                : isOpen
                  ? t.decide
                  : t.nothing}
            </p>
            <ul className="divide-y divide-line">
              {objects.slice(0, maxObjects).map((object) => (
                <ReviewObject
                  key={nameOfObject(object)}
                  object={object as PromotedObject}
                  promotion={plan.data}
                  fromName={from.name || from.key}
                  toName={toName}
                  isOff={!withState}
                  neededBy={list(object.neededBy.map(nameOfFlag))}
                  alsoUsedBy={list(object.alsoUsedBy)}
                  onResolve={(resolution) =>
                    setResolutions({ ...resolutions, [nameOfObject(object)]: resolution })
                  }
                />
              ))}
            </ul>
            {objects.length > maxObjects && (
              <p className="text-12 text-muted">
                {t.moreRows(number(objects.length - maxObjects))}
              </p>
            )}
            {others.map(({ key, name }) => (
              <Note
                key={key}
                kind="attention"
                action={
                  <Button size="small" onClick={() => setMore([...more, key])}>
                    {t.takeToo}
                  </Button>
                }
              >
                <Rich text={t.differs(name || key, toName)} />
              </Note>
            ))}
            <Checkbox isChecked={withState} onChange={setWithState}>
              {t.withState}
              <span className="block text-12 text-muted">{t.withStateHelp}</span>
            </Checkbox>
            <WhyField value={comment} onChange={setComment} />
            {others.length === 0 && flagKeys.length > 0 && segmentKeys.length === 0 && isOneWay && (
              <Terminal
                command={svc(
                  undefined,
                  ...['promote', from.key, to.key, ...flagKeys],
                  ...(withState ? ['--with-state'] : []),
                  ...decisions.map((decision) => `--${decision}`),
                )}
              />
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}
