import { useCallback, useEffect, useRef, useState } from 'react'
import { useDone } from '../../../app/done.tsx'
import type { PageNamespace } from '../../../app/namespace.ts'
import { Ask } from '../../../components/dialog.tsx'
import { NamespaceName } from '../../../components/tile.tsx'
import { showToast } from '../../../components/toast.tsx'
import { messageOf } from '../../../data/errors.ts'
import { Rich } from '../../../text/rich.tsx'
import { useTexts } from '../../../text/texts.ts'
import type { ReadFlag } from './delete-variant.tsx'
import { withVariant } from './edits.ts'
import { variantsTexts } from './texts.ts'
import { saveFlag } from './write.ts'

interface Props {
  readonly namespace: PageNamespace
  readonly read: ReadFlag
  readonly variantKey: string
  readonly onClose: () => void
}

/** Makes a variant the default: at once, or after a question where the namespace wants that. */
export default function MakeDefault({ namespace, read, variantKey, onClose }: Props) {
  const t = useTexts(variantsTexts)
  const done = useDone()
  const [isBusy, setBusy] = useState(false)
  const isBegun = useRef(false)
  const run = useCallback(async () => {
    const { flag, etag } = read
    const variant = flag.variants.find(({ key }) => key === variantKey)
    if (variant === undefined || isBegun.current) return
    isBegun.current = true
    setBusy(true)
    try {
      const next = withVariant(flag, { ...variant, default: true })
      const { revision } = await saveFlag(namespace.key, next, etag)
      done(<Rich text={t.isDefault(variantKey)} />, { namespaceKey: namespace.key, revision })
    } catch (error) {
      showToast(messageOf(error), { isFailure: true })
    }
    onClose()
  }, [read, variantKey, namespace.key, done, t, onClose])
  useEffect(() => {
    if (!namespace.confirm) void run()
  }, [namespace.confirm, run])
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
