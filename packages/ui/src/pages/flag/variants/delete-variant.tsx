import type { FlagDocument } from '@svc/client/api'
import { useState } from 'react'
import { Ask } from '../../../components/dialog.tsx'
import { Note } from '../../../components/note.tsx'
import { NamespaceName } from '../../../components/tile.tsx'
import { messageOf } from '../../../data/errors.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { lossOf, type RuleLoss, withoutVariant } from './edits.ts'
import { useSaveVariants } from './save.ts'
import { variantsTexts } from './texts.ts'

/** A flag as it was read. */
export interface ReadFlag {
  readonly flag: FlagDocument
  readonly etag: string | undefined
}

interface Props {
  readonly read: ReadFlag
  readonly variantKey: string
  readonly onClose: () => void
}

/** Asks before a variant is deleted: who has it, and what they get then. */
export default function DeleteVariant({ read, variantKey, onClose }: Props) {
  const t = useTexts(variantsTexts)
  const { namespace, name, readOnlyReason } = useFlag()
  const save = useSaveVariants()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const { flag, etag } = read
  const { rules, isDefault, heir } = lossOf(flag, variantKey)
  const remove = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await save(withoutVariant(flag, variantKey), etag, t.deleted(variantKey, name))
      onClose()
    } catch (error) {
      setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Ask
      isOpen
      isDanger
      isBusy={isBusy}
      disabledReason={readOnlyReason}
      title={
        <>
          {t.deleteTitle(variantKey)} <NamespaceName namespace={namespace} />?
        </>
      }
      action={t.deleteAction}
      onClose={onClose}
      onConfirm={() => void remove()}
    >
      {failure !== undefined && <Note kind="failure">{failure}</Note>}
      {rules.length > 0 && (
        <ul className="max-h-[40dvh] divide-y divide-line overflow-y-auto rounded-3 border border-line bg-sunken px-4 text-text">
          {rules.map((loss) => (
            <RuleItem key={loss.place} loss={loss} heir={heir} />
          ))}
        </ul>
      )}
      {isDefault && <Note kind="attention">{t.deletesDefault}</Note>}
      {rules.length === 0 && !isDefault && <p>{t.isUnserved}</p>}
      <p>{t.canUndo}</p>
    </Ask>
  )
}

function RuleItem({ loss, heir }: { readonly loss: RuleLoss; readonly heir: string | undefined }) {
  const t = useTexts(variantsTexts)
  const { number, share, list } = useFormat()
  const { segments } = useFlag()
  const who = share(loss.share)
  return (
    <li className="grid gap-0.5 py-2.5 wrap-anywhere">
      <b className="font-medium">
        {t.rule(number(loss.place), list(loss.segments.map(segments.nameOf)))}
      </b>
      <span>{heir === undefined ? t.losesShareToCode(who) : t.losesShare(who, heir)}</span>
      <span className="text-12 text-muted">
        {loss.movesOthers && `${t.movesOthers} `}
        {t.laterNotAsked}
      </span>
    </li>
  )
}
