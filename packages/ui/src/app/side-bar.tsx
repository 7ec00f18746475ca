import type { Namespace } from '@svc/client/api'
import { Link } from '@tanstack/react-router'
import { Flag, type LucideIcon } from 'lucide-react'
import { Icon } from '../components/icon.tsx'
import { useText } from '../text/text.ts'
import { NamespaceSwitcher } from './namespace-switcher.tsx'
import { PersonMenu } from './person-menu.tsx'

export function SideBar({ namespace }: { readonly namespace: Namespace | undefined }) {
  const t = useText()
  return (
    <nav className="sidebar" aria-label={t.frame.main}>
      <NamespaceSwitcher current={namespace} />
      <ul className="nav">
        {namespace && (
          <NavItem icon={Flag} to={`/ns/${namespace.key}/flags`}>
            {t.frame.flags}
          </NavItem>
        )}
      </ul>
      <div className="sidebar-end">
        <PersonMenu />
      </div>
    </nav>
  )
}

interface NavItemProps {
  readonly icon: LucideIcon
  readonly to: string
  readonly children: string
}

function NavItem({ icon, to, children }: NavItemProps) {
  return (
    <li>
      <Link to={to} activeProps={{ 'aria-current': 'page' }}>
        <Icon of={icon} />
        <span>{children}</span>
      </Link>
    </li>
  )
}
