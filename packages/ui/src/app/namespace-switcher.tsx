import { Combobox } from '@base-ui/react/combobox'
import type { Namespace } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Lock, Search } from 'lucide-react'
import { Icon } from '../components/icon.tsx'
import { Tile } from '../components/tile.tsx'
import { namespacesQuery } from '../data/queries.ts'
import { useText } from '../text/text.ts'

/** Chooses the namespace. A session of one namespace has no other, and then nothing to choose. */
export function NamespaceSwitcher({ current }: { readonly current: Namespace | undefined }) {
  const t = useText()
  const navigate = useNavigate()
  const { data } = useQuery(namespacesQuery)
  const all = data?.namespaces ?? []
  if (current === undefined) return null
  const face = (
    <>
      <Tile namespace={current} size="large" />
      <span className="grow">
        <b>{current.name}</b>
        <span className="mono">{current.key}</span>
      </span>
      {current.confirm && <Icon of={Lock} small />}
    </>
  )
  if (all.length < 2) return <div className="ns-switch is-alone">{face}</div>
  const choose = (namespace: Namespace | null) => {
    if (namespace === null) return
    navigate({
      to: '/ns/$namespaceKey/flags',
      params: { namespaceKey: namespace.key },
    }).catch(() => {})
  }
  return (
    <Combobox.Root
      items={all}
      value={current}
      onValueChange={choose}
      itemToStringLabel={({ name, key }: Namespace) => `${name} ${key}`}
      isItemEqualToValue={(one: Namespace, other: Namespace) => one.key === other.key}
    >
      <Combobox.Trigger className="ns-switch" aria-label={`${t.frame.namespaces}: ${current.name}`}>
        {face}
        <Icon of={ChevronsUpDown} small />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-popover">
          <Combobox.Popup className="layer menu wide" aria-label={t.frame.namespaces}>
            <div className="menu-search">
              <Icon of={Search} small />
              <Combobox.Input placeholder={t.frame.findNamespace} />
            </div>
            <Combobox.Empty className="head">{t.frame.noNamespace}</Combobox.Empty>
            <Combobox.List>
              {(namespace: Namespace) => (
                <Combobox.Item key={namespace.key} value={namespace} className="item two-lines">
                  <Tile namespace={namespace} />
                  <span className="grow">
                    {namespace.name}
                    <span className="sub mono">{namespace.key}</span>
                  </span>
                  {namespace.confirm && <Icon of={Lock} small />}
                  <Combobox.ItemIndicator className="end">
                    <Icon of={Check} small />
                  </Combobox.ItemIndicator>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
