import { Switch as Base } from '@base-ui/react/switch'
import clsx from 'clsx'

interface Props {
  readonly isOn: boolean
  /** Says the effect, such as `New checkout: everyone else gets Off`. */
  readonly name: string
  readonly onChange: (isOn: boolean) => void
  readonly isLarge?: boolean
  readonly isReadOnly?: boolean
}

export function Switch({ isOn, name, onChange, isLarge = false, isReadOnly = false }: Props) {
  return (
    <Base.Root
      className={clsx('switch', isLarge && 'lg')}
      checked={isOn}
      readOnly={isReadOnly}
      aria-label={name}
      aria-disabled={isReadOnly || undefined}
      onCheckedChange={onChange}
    />
  )
}
