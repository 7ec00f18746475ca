import { useQuery } from '@tanstack/react-query'
import { Check, Clock } from 'lucide-react'
import { Icon } from '../../components/icon.tsx'
import { SecretPanel } from '../../components/secret-panel.tsx'
import { firstUseQuery } from '../../data/tokens.ts'
import { useTexts } from '../../text/texts.ts'
import { tokenCodeTexts } from './texts.ts'
import { TokenCode } from './token-code.tsx'

/** A secret that was just made. It is held by the page that shows it, and nowhere else. */
export interface NewSecret {
  readonly secret: string
  readonly id: string
  readonly name: string
  /** Where its code asks. */
  readonly namespaceKey: string
  /** Whether the token had another one before. */
  readonly isRotated: boolean
}

interface Props {
  readonly made: NewSecret | undefined
  readonly onClose: () => void
}

/** Shows a secret once, with the code that uses it, and says when it was used. */
export function NewSecretPanel({ made, onClose }: Props) {
  const t = useTexts(tokenCodeTexts)
  return (
    <SecretPanel
      secret={made?.secret}
      title={made === undefined ? '' : (made.isRotated ? t.rotated : t.ready)(made.name)}
      variable="SVC_TOKEN"
      fileName={`${made?.name.replace(/[^\w.-]+/g, '-') ?? ''}.env`}
      onClose={onClose}
    >
      {made !== undefined && (
        <>
          <TokenCode namespaceKey={made.namespaceKey} secret={made.secret} />
          {!made.isRotated && <FirstUse id={made.id} />}
        </>
      )}
    </SecretPanel>
  )
}

/** Says when the first request with a token has come. */
export function FirstUse({ id }: { readonly id: string }) {
  const t = useTexts(tokenCodeTexts)
  const { data } = useQuery(firstUseQuery(id))
  const isUsed = data?.use !== undefined
  return (
    <p role="status" className="flex items-center gap-2 text-12 text-muted">
      <Icon of={isUsed ? Check : Clock} small className={isUsed ? 'text-on' : ''} />
      {isUsed ? t.used(data.use.lastAddress) : t.waiting}
    </p>
  )
}
