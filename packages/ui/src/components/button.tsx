import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { Tooltip } from './tooltip.tsx'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  /** `primary` is the one thing to do on a page or in a dialog. @default 'secondary' */
  readonly look?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'quiet-danger' | 'danger-fill'
  readonly size?: 'small' | 'usual' | 'large'
  /** Holds a picture alone; it needs an `aria-label`. */
  readonly isIcon?: boolean
  readonly isBlock?: boolean
  /** Why it cannot be used now. It stays focusable and says so. */
  readonly disabledReason?: string | undefined
  /** Keeps its width, and does nothing more, until what it began has ended. */
  readonly isBusy?: boolean
}

const lookClass = {
  primary: 'primary',
  secondary: '',
  quiet: 'ghost',
  danger: 'danger',
  'quiet-danger': 'ghost danger',
  'danger-fill': 'danger-fill',
}

const sizeClass = { small: 'small', usual: '', large: 'lg' }

export function Button({
  look = 'secondary',
  size = 'usual',
  isIcon = false,
  isBlock = false,
  isBusy = false,
  disabledReason,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const isDisabled = disabledReason !== undefined
  const button = (
    <button
      {...rest}
      type={isDisabled || isBusy ? 'button' : type}
      className={clsx('btn', lookClass[look], sizeClass[size], className, {
        icon: isIcon,
        block: isBlock,
      })}
      aria-disabled={isDisabled || isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={isDisabled || isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy && <span className="spin" aria-hidden="true" />}
      {children}
    </button>
  )
  return isDisabled ? <Tooltip text={disabledReason}>{button}</Tooltip> : button
}
