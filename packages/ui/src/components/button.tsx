import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { Tooltip } from './tooltip.tsx'

export type ButtonLook =
  | 'primary'
  | 'secondary'
  | 'quiet'
  | 'danger'
  | 'quiet-danger'
  | 'danger-fill'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  /** `primary` is the one thing to do on a page or in a dialog. @default 'secondary' */
  readonly look?: ButtonLook
  readonly size?: 'small' | 'usual' | 'large'
  /** Holds a picture alone; it needs an `aria-label`, which is also shown as a tooltip. */
  readonly isIcon?: boolean
  readonly isBlock?: boolean
  /** Why it cannot be used now. It stays focusable and says so. */
  readonly disabledReason?: string | undefined
  /** Keeps its width, and does nothing more, until what it began has ended. */
  readonly isBusy?: boolean
}

const looks: Readonly<Record<ButtonLook, string>> = {
  primary: 'border-ink bg-ink text-on-ink shadow-control hover:border-ink-hover hover:bg-ink-hover',
  secondary:
    'border-line-strong bg-raised text-text shadow-control hover:border-control hover:bg-hover active:bg-pressed',
  quiet: 'border-transparent text-muted hover:bg-hover hover:text-text active:bg-pressed',
  danger:
    'border-line-strong bg-raised text-danger shadow-control hover:border-danger-line hover:bg-danger-soft',
  'quiet-danger': 'border-transparent text-danger hover:bg-danger-soft',
  'danger-fill': 'border-danger-fill bg-danger-fill text-on-danger hover:bg-danger-fill-hover',
}

const sizes = {
  small: 'h-small rounded-[0.3125rem] px-2 text-12 touch:min-h-8',
  usual: 'h-control rounded-2 px-3 text-13 touch:min-h-11',
  large: 'min-h-10 rounded-2 px-3 text-14 touch:min-h-11',
}

const squares = { small: 'w-6 px-0! touch:w-8', usual: 'w-8 px-0! touch:w-11', large: 'w-10 px-0!' }

const disabledLook = 'border-line bg-sunken text-faint'

/** The look of a button, for links that look like one. */
export function buttonClass({
  look = 'secondary',
  size = 'usual',
  isIcon = false,
  isBlock = false,
  isDisabled = false,
}: Pick<ButtonProps, 'look' | 'size' | 'isIcon' | 'isBlock'> & {
  readonly isDisabled?: boolean
} = {}): string {
  return clsx(
    'relative inline-flex flex-none cursor-pointer items-center justify-center gap-1.5 border font-medium whitespace-nowrap transition-colors quick',
    sizes[size],
    isIcon && squares[size],
    isBlock && 'w-full',
    isDisabled ? disabledLook : looks[look],
  )
}

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
      className={clsx(buttonClass({ look, size, isIcon, isBlock, isDisabled }), className)}
      aria-disabled={isDisabled || isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={isDisabled || isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy ? (
        <>
          <span className="invisible contents">{children}</span>
          <span className="absolute inset-0 grid place-items-center">
            <span className="spinner" aria-hidden="true" />
          </span>
        </>
      ) : (
        children
      )}
    </button>
  )
  const hint = disabledReason ?? (isIcon ? rest['aria-label'] : undefined)
  return hint === undefined ? button : <Tooltip text={hint}>{button}</Tooltip>
}
