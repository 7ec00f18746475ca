import { Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface Props {
  readonly kind?: 'fact' | 'attention' | 'failure' | 'news'
  readonly children: ReactNode
  /** One button. */
  readonly action?: ReactNode
}

const kinds = {
  fact: { className: '', icon: Info },
  attention: { className: ' draft', icon: TriangleAlert },
  failure: { className: ' danger', icon: TriangleAlert },
  news: { className: ' accent', icon: Info },
}

export function Note({ kind = 'fact', children, action }: Props) {
  const { className, icon } = kinds[kind]
  return (
    <div className={`note${className}`} role={kind === 'failure' ? 'alert' : undefined}>
      <Icon of={icon} />
      <div className="grow">{children}</div>
      {action}
    </div>
  )
}
