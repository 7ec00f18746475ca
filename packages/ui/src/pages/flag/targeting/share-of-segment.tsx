import type { RolloutDocument, StoredFlag } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { useDone } from '../../../app/done.tsx'
import { useMounted } from '../../../app/use-mounted.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Note } from '../../../components/note.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { NamespaceName } from '../../../components/tile.tsx'
import { queryClient } from '../../../data/api.ts'
import { startDraftOf } from '../../../data/drafts.ts'
import { messageOf } from '../../../data/errors.ts'
import { apply } from '../../../data/flag-writes.ts'
import { keyFor } from '../../../data/keys.ts'
import { flagDocumentQuery, type Tagged } from '../../../data/queries.ts'
import { Rich } from '../../../text/rich.tsx'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { NewFlagFields, useNewNames } from '../head/new-flag-fields.tsx'
import { useFlag } from '../here.ts'
import { flagTexts } from '../texts.ts'
import { rulesOf, toVariantFlag } from './convert.ts'
import { SegmentChoice } from './segments-field.tsx'
import { ShareField } from './share-field.tsx'
import { shareDecimals } from './split.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  /** The rollout whose segments or percentage were meant; nothing: they are chosen. */
  readonly rollout: RolloutDocument | undefined
  readonly onClose: () => void
}

/** Says that a boolean flag serves no share of a segment, and makes a flag that can: its rules are a draft. */
export default function ShareOfSegment({ rollout, onClose }: Props) {
  const t = useTexts(targetingTexts)
  const f = useTexts(flagTexts)
  const c = useTexts(componentTexts)
  const format = useFormat()
  const navigate = useNavigate()
  const isMounted = useMounted()
  const done = useDone()
  const { draft, name, namespace, segments: known, readOnlyReason } = useFlag()
  const flag = draft.draft.present
  const [segments, setSegments] = useState(rollout?.segment?.segments ?? [])
  const [percentage, setPercentage] = useState(rollout?.threshold?.percentage ?? 25)
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const fields = useNewNames(namespace.key, {
    name: t.variantsName(name),
    key: keyFor(`${flag.key}-variants`),
  })
  const { names, isReady } = fields
  const isChosen = segments.length > 0
  const create = async () => {
    if (!isReady || !isChosen || isBusy || readOnlyReason !== undefined) return
    setBusy(true)
    setFailure(undefined)
    try {
      const document = toVariantFlag(flag, names.key, names.name.trim())
      const { revision } = await apply(namespace.key, [
        { kind: 'FLAG_KIND', key: names.key, flag: document, ifRevision: 0 },
      ])
      const made: Tagged<StoredFlag> = await queryClient.fetchQuery(
        flagDocumentQuery(namespace.key, names.key),
      )
      const base = made.value.flag
      startDraftOf({ namespaceKey: namespace.key, kind: 'flag', key: names.key }, base, made.etag, {
        ...base,
        rules: rulesOf(flag, { segments, percentage, replaces: rollout?.id }),
      })
      const params = { namespaceKey: namespace.key, flagKey: names.key }
      if (isMounted()) {
        onClose()
        await navigate({ to: '/ns/$namespaceKey/flags/$flagKey', params })
      }
      done(<Rich text={f.created(names.name, namespace.name)} />, {
        namespaceKey: namespace.key,
        revision,
        onUndone: () => void navigate({ to: '/ns/$namespaceKey/flags', params }),
      })
    } catch (error) {
      setFailure(messageOf(error))
      setBusy(false)
    }
  }
  const segmentNames = segments.map(known.nameOf)
  const chosen = isChosen ? format.choice(segmentNames) : t.chooseSegment
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      onSubmit={() => void create()}
      title={
        <>
          {t.shareTitle(name)} <NamespaceName namespace={namespace} />
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button
            type="submit"
            look="primary"
            isBusy={isBusy}
            disabledReason={readOnlyReason ?? (isChosen ? undefined : t.chooseSegment)}
          >
            {t.shareCreate}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        <Note>
          {t.shareSentence} {t.shareOffer}
        </Note>
        <div className="grid grid-cols-2 gap-4 narrow:grid-cols-1">
          <div className="grid content-start gap-1.5">
            <span className="text-13 font-medium">{t.shareWhom}</span>
            <SegmentChoice
              label={`${t.shareWhom}: ${chosen}`}
              onChoose={(key) => setSegments([key])}
              trigger={
                <Button className="justify-start!" isBlock>
                  <span className="min-w-0 flex-1 truncate text-start">{chosen}</span>
                  <Icon of={ChevronDown} small className="text-muted" />
                </Button>
              }
            />
          </div>
          <div className="grid content-start justify-items-start gap-1.5">
            <span className="text-13 font-medium">{t.shareHow}</span>
            <ShareField
              name={t.shareHow}
              value={percentage}
              decimals={shareDecimals}
              onChange={setPercentage}
              onDone={() => {}}
            />
          </div>
        </div>
        <NewFlagFields {...fields} />
        <p className="text-12 text-muted">
          {t.shareCode}
          {flag.rollouts.some(({ threshold }) => threshold !== undefined) && <> {t.shareLeftOut}</>}
        </p>
      </div>
    </Dialog>
  )
}
