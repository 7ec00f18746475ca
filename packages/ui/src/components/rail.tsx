import clsx from 'clsx'
import type { ComponentProps, CSSProperties, ReactNode } from 'react'

/** How a question went by a stop. */
export type PathState = 'passed' | 'hit' | 'unreached'

interface RailProps extends ComponentProps<'ol'> {
  readonly label: string
}

/** Things that are asked one after the other, from the top. */
export function Rail({ label, children, className, ...rest }: RailProps) {
  return (
    <ol
      {...rest}
      aria-label={label}
      className={clsx(
        'relative grid grid-cols-[minmax(0,1fr)] gap-3 narrow:[--gutter:1.875rem]',
        className,
      )}
    >
      {children}
    </ol>
  )
}

interface StopProps extends Omit<ComponentProps<'li'>, 'children'> {
  /** Its number or a picture; nothing for a start or an end. */
  readonly node?: ReactNode
  readonly path?: PathState | undefined
  readonly isFailure?: boolean
  /** The node is a picture by itself, such as a person, without a circle around it. */
  readonly isPlain?: boolean
  readonly children: ReactNode
  /** Where the node is, from the top of the stop, in rem. @default 0.8125 */
  readonly nodeTop?: number
}

export function Stop({
  node,
  path,
  isFailure = false,
  isPlain = false,
  nodeTop = 0.8125,
  children,
  className,
  style,
  ...rest
}: StopProps) {
  const middle = { '--node': `${nodeTop + 0.71875}rem`, ...style } as CSSProperties
  return (
    <li
      {...rest}
      data-path={path}
      className={clsx('rail-stop', path === 'unreached' && 'text-faint', className)}
      style={middle}
    >
      {node !== undefined && (
        <span
          className={clsx(
            'absolute start-0 z-1 grid size-5.75 place-items-center text-11 font-strong',
            isPlain ? 'bg-surface' : ['rounded-full border-[1.5px]', nodeLook(path, isFailure)],
          )}
          style={{ top: `${nodeTop}rem` }}
          aria-hidden="true"
        >
          {node}
        </span>
      )}
      {children}
    </li>
  )
}

function nodeLook(path: PathState | undefined, isFailure: boolean): string {
  if (isFailure) return 'border-danger-mark bg-danger-fill text-on-danger'
  if (path === 'hit') return 'border-accent-mark bg-accent-mark text-raised'
  return `${path === 'passed' ? 'border-accent-mark' : 'border-control'} bg-surface text-muted`
}

/** Where the line begins: what is asked. */
export function StartStop({ children }: { readonly children: ReactNode }) {
  return (
    <Stop nodeTop={-0.25} className="flex min-h-6 items-center gap-2 text-13 text-muted">
      <span
        className="absolute start-[calc(0.71875rem-0.25rem)] z-1 size-2 rounded-full bg-control"
        aria-hidden="true"
      />
      {children}
    </Stop>
  )
}

export type RuleLook = 'clean' | 'edited' | 'added' | 'removed' | 'dragging' | 'wrong' | 'end'

/** The card of a rule, beside its stop. */
export function RuleCard({
  look = 'clean',
  path,
  className,
  children,
  ...rest
}: ComponentProps<'div'> & { readonly look?: RuleLook; readonly path?: PathState | undefined }) {
  return (
    <div
      {...rest}
      className={clsx(
        'relative min-w-0 rounded-3 border transition-shadow steady',
        path === undefined && ruleLooks[look],
        path === 'hit' && 'border-accent-mark bg-raised ring-1 ring-accent-mark',
        path === 'passed' && 'border-line-strong bg-raised',
        path === 'unreached' && 'border-dashed border-line-strong',
        className,
      )}
    >
      {children}
    </div>
  )
}

const ruleLooks: Readonly<Record<RuleLook, string>> = {
  clean: 'border-line-strong bg-raised hover:border-control',
  edited: 'border-draft-line bg-raised shadow-[inset_3px_0_0_var(--draft-mark)]',
  added: 'border-dashed border-draft-line bg-raised shadow-[inset_3px_0_0_var(--draft-mark)]',
  removed: 'border-dashed border-line-strong text-muted',
  dragging: 'rotate-[0.4deg] border-accent-mark bg-raised shadow-layer',
  wrong: 'border-danger-mark bg-raised',
  end: 'border-dashed border-line-strong',
}
