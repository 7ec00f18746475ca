import clsx from 'clsx'
import type { ComponentProps, ReactNode } from 'react'
import { bareInput, inputFrame } from './classes.ts'

interface Props extends ComponentProps<'input'> {
  /** Before the text, such as an icon. */
  readonly start?: ReactNode
  /** After it, such as a button or what was found out about the text. */
  readonly end?: ReactNode
  readonly isMono?: boolean
  readonly frameClass?: string
}

export function TextInput({ start, end, isMono = false, frameClass, className, ...rest }: Props) {
  return (
    <span className={clsx(inputFrame, frameClass)}>
      {start}
      <input {...rest} className={clsx(bareInput, isMono && 'font-mono text-12', className)} />
      {end}
    </span>
  )
}

export function TextArea({
  isMono = false,
  className,
  ...rest
}: ComponentProps<'textarea'> & { readonly isMono?: boolean }) {
  return (
    <textarea
      {...rest}
      className={clsx(
        'block min-h-18 w-full resize-y rounded-2 border border-control bg-raised px-2.5 py-1.75 text-13 outline-none focus:outline-2 focus:outline-offset-1 focus:outline-focus aria-invalid:border-danger-mark aria-invalid:inset-ring aria-invalid:inset-ring-danger-mark',
        isMono && 'font-mono text-12 leading-[1.65]',
        className,
      )}
    />
  )
}
