import { Lock } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react'
import { useOfflineReason } from '../app/banner.tsx'
import type { PageNamespace } from '../app/namespace.ts'
import { useShortcuts } from '../app/shortcuts.ts'
import { Bar } from '../components/bar.tsx'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { Keys } from '../components/keys.tsx'
import { Note } from '../components/note.tsx'
import { Waiting } from '../components/skeleton.tsx'
import { Segmented } from '../components/tabs.tsx'
import { componentTexts } from '../components/texts.ts'
import { NamespaceName } from '../components/tile.tsx'
import { WhyField } from '../components/why-field.tsx'
import { Rich } from '../text/rich.tsx'
import { useTexts } from '../text/texts.ts'
import type { Words } from './describe.ts'
import type { Kind } from './documents.ts'
import { type Effect, effectOf } from './effect.ts'
import { clean } from './marked.tsx'
import type { ReviewProps } from './review.tsx'
import { SentenceList } from './sentence-list.tsx'
import { sentencesOf } from './sentences.ts'
import type { useSave } from './use-save.ts'

const YamlDiff = lazy(() => import('./yaml-diff.tsx'))

export interface StepProps<K extends Kind> extends ReviewProps<K> {
  readonly name: string
  readonly namespace: PageNamespace
  readonly words: Words
  readonly way: ReturnType<typeof useSave<K>>
}

/** What a draft changes and does, and the way to save it. */
export function ReviewDialog<K extends Kind>(props: StepProps<K>) {
  const { id, handle, name, namespace, words, way, usedBy = 0, onClose } = props
  const { t, format } = words
  const c = useTexts(componentTexts)
  const offlineReason = useOfflineReason()
  const [view, setView] = useState<'sentences' | 'yaml'>('sentences')
  const [comment, setComment] = useState('')
  const start = useRef<HTMLParagraphElement>(null)
  const { base, present } = handle.draft
  const sentences = useMemo(
    () => sentencesOf(id.kind, base, present, words),
    // The words are made anew each time; what they are made of changes with the language only.
    [id.kind, base, present, words.t, words.c, words.segments],
  )
  const { stage, attempts } = way
  const isBusy = stage.kind !== 'review'
  const canSave = !isBusy && offlineReason === undefined && handle.isDirty
  const save = () => {
    if (canSave) void way.save(comment.trim())
  }
  useShortcuts({ 'mod+Enter': save })
  const count = Math.max(sentences.length, 1)
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      onSubmit={save}
      isDirty={comment !== '' && !isBusy}
      hasClose={stage.kind !== 'saving'}
      isFirm={stage.kind === 'saving'}
      initialFocus={start}
      title={
        <>
          <Rich text={t.title(count, format.number(count), clean(name))} />{' '}
          <NamespaceName namespace={namespace} />
        </>
      }
      footer={
        <>
          {namespace.confirm && (
            <span className="me-auto flex items-center gap-1.5 text-12 text-muted narrow:hidden">
              <Icon of={Lock} small />
              {t.asksFirst(namespace.name)}
            </span>
          )}
          <Button onClick={onClose}>{t.keepEditing}</Button>
          <Button
            look="primary"
            type="submit"
            isBusy={isBusy}
            disabledReason={handle.isDirty ? offlineReason : t.nothing}
            aria-keyshortcuts="Control+Enter"
          >
            {attempts > 0 ? t.saveAgain(namespace.name) : t.save(namespace.name)}
            <Keys of="mod enter" onInk className="narrow:hidden" />
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {/* What is read comes before what is typed. */}
          <p ref={start} tabIndex={-1} className="min-w-0 flex-1 text-13 text-muted outline-none">
            {t.together}
          </p>
          <Segmented
            label={t.view}
            value={view}
            choices={[
              ['sentences', c.asSentences],
              ['yaml', c.asYaml],
            ]}
            onChange={setView}
          />
        </div>
        <StageNote way={way} words={words} />
        {handle.isDirty ? (
          <EffectNote
            effect={effectOf(id.kind, base, present, words)}
            words={words}
            usedBy={usedBy}
          />
        ) : (
          <Note>{t.nothing}</Note>
        )}
        {view === 'sentences' ? (
          <SentenceList sentences={sentences} />
        ) : (
          <Suspense fallback={<Waiting>{null}</Waiting>}>
            <YamlDiff before={base} after={present} label={t.yamlOf(clean(name))} />
          </Suspense>
        )}
        <WhyField value={comment} onChange={setComment} />
      </div>
    </Dialog>
  )
}

/** What has become of the save so far. */
function StageNote<K extends Kind>({
  way,
  words,
}: {
  readonly way: StepProps<K>['way']
  readonly words: Words
}) {
  const { t } = words
  const { stage, isOnline, isBehind } = way
  const told = (():
    | { readonly kind: 'failure' | 'attention' | 'news'; readonly text: string }
    | undefined => {
    if (stage.kind === 'lost') return { kind: 'attention', text: isOnline ? t.looking : t.lost }
    if (!isOnline) return { kind: 'attention', text: t.offline }
    if (stage.kind !== 'review') return undefined
    if (isBehind) return { kind: 'news', text: t.news }
    if (stage.note === undefined) return undefined
    return { kind: stage.note.isFailure ? 'failure' : 'attention', text: stage.note.text }
  })()
  // The region is there before the news, so that it is read out.
  return (
    <div role="status" className={told === undefined ? 'sr-only' : undefined}>
      {told !== undefined && (
        <Note
          kind={told.kind}
          action={
            told.kind === 'news' && (
              <Button
                size="small"
                onClick={() => {
                  way.settle(false).catch(() => {})
                }}
              >
                {t.show}
              </Button>
            )
          }
        >
          {told.text}
        </Note>
      )}
    </div>
  )
}

function EffectNote({
  effect,
  words,
  usedBy,
}: {
  readonly effect: Effect | undefined
  readonly words: Words
  readonly usedBy: number
}) {
  const { t, format } = words
  const used = usedBy > 0 ? [t.usedBy(usedBy, format.number(usedBy))] : []
  const [first, ...others] = effect?.told ?? []
  if (first === undefined && used.length === 0) return null
  const bars = effect?.bars
  const isAttention = effect?.told.some((one) => one.isAttention) === true
  return (
    <Note kind={isAttention ? 'attention' : 'fact'}>
      {first !== undefined && <b className="font-[550]">{first.text}</b>}{' '}
      {[...others.map(({ text }) => text), ...used].join(' ')}
      {bars !== undefined && (
        <div className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1.5 text-12">
          <BarRow label={t.now} shares={bars.before} />
          <BarRow label={t.afterwards} shares={bars.after} />
        </div>
      )}
    </Note>
  )
}

function BarRow({
  label,
  shares,
}: {
  readonly label: string
  readonly shares: NonNullable<Effect['bars']>['before']
}): ReactNode {
  return (
    <>
      <span className="text-muted">{label}</span>
      <Bar shares={shares} />
    </>
  )
}
