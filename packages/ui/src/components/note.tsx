import clsx from 'clsx'
import { CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface Props {
  readonly kind?: 'fact' | 'attention' | 'failure' | 'news' | 'done'
  readonly children: ReactNode
  /** One button. */
  readonly action?: ReactNode
}

const kinds = {
  fact: { look: 'border-line-strong bg-sunken', mark: 'text-muted', icon: Info },
  attention: { look: 'border-draft-line bg-draft-soft', mark: 'text-draft', icon: TriangleAlert },
  failure: { look: 'border-danger-line bg-danger-soft', mark: 'text-danger', icon: TriangleAlert },
  news: { look: 'border-accent-line bg-accent-soft', mark: 'text-accent', icon: Info },
  done: { look: 'border-on-line bg-on-soft', mark: 'text-on', icon: CircleCheck },
}

export function Note({ kind = 'fact', children, action }: Props) {
  const { look, mark, icon } = kinds[kind]
  return (
    <div
      className={clsx('flex gap-3 rounded-3 border px-4 py-3 text-13 narrow:flex-wrap', look)}
      role={kind === 'failure' ? 'alert' : undefined}
    >
      <Icon of={icon} className={clsx('mt-0.5', mark)} />
      <div className="min-w-0 flex-1 text-pretty wrap-break-word">{children}</div>
      {action !== undefined && (
        <div className="flex flex-none items-center narrow:basis-full narrow:ps-7">{action}</div>
      )}
    </div>
  )
}
