import { useEffect, useRef, useState } from 'react'
import { Ask } from '../../../components/dialog.tsx'
import { NamespaceName } from '../../../components/tile.tsx'
import { showToast } from '../../../components/toast.tsx'
import { messageOf } from '../../../data/errors.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import type { ReadFlag } from './delete-variant.tsx'
import { withVariant } from './edits.ts'
import { useSaveVariants } from './save.ts'
import { variantsTexts } from './texts.ts'

interface Props {
  readonly read: ReadFlag
  readonly variantKey: string
  readonly onClose: () => void
}

/** Makes a variant the default: at once, or after a question where the namespace wants that. */
export default function MakeDefault({ read, variantKey, onClose }: Props) {
  const t = useTexts(variantsTexts)
  const { namespace } = useFlag()
  const save = useSaveVariants()
  const [isBusy, setBusy] = useState(false)
  const isBegun = useRef(false)
  const run = async () => {
    const { flag, etag } = read
    const variant = flag.variants.find(({ key }) => key === variantKey)
    if (variant === undefined || isBegun.current) return
    isBegun.current = true
    setBusy(true)
    try {
      await save(withVariant(flag, { ...variant, default: true }), etag, t.isDefault(variantKey))
    } catch (error) {
      showToast(messageOf(error), { isFailure: true })
    }
    onClose()
  }
  useEffect(() => {
    if (!namespace.confirm) void run()
  })
  if (!namespace.confirm) return null
  return (
    <Ask
      isOpen
      isBusy={isBusy}
      title={
        <>
          {t.makeDefaultIn(variantKey)} <NamespaceName namespace={namespace} />?
        </>
      }
      action={t.makeDefault}
      onClose={onClose}
      onConfirm={() => void run()}
    >
      <p>{t.makeDefaultText(variantKey)}</p>
    </Ask>
  )
}
