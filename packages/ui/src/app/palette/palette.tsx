import { Dialog } from '@base-ui/react/dialog'
import clsx from 'clsx'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { Keys } from '../../components/keys.tsx'
import { Tile } from '../../components/tile.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { openLayer } from '../actions.ts'
import { useShownNamespace } from '../namespace.ts'
import { useGroups } from './groups.tsx'
import type { PaletteItem } from './items.ts'
import { paletteTexts } from './texts.ts'

/** Everything that can be found or done, by typing. */
export default function Palette() {
  const t = useTexts(paletteTexts)
  const { number } = useFormat()
  const namespace = useShownNamespace()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const [place, setPlace] = useState(0)
  const groups = useGroups(typed)
  const items = groups.flatMap((group) => group.items)
  const active = Math.min(place, items.length - 1)
  const idOf = (item: PaletteItem) => `${id} ${item.id}`.replaceAll(' ', '_')
  const current = items[active]
  const activeId = current && idOf(current)

  useEffect(() => {
    if (activeId !== undefined)
      document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  const run = (item: PaletteItem | undefined, inConsole: boolean) => {
    const action = inConsole ? item?.runInConsole : item?.run
    if (action === undefined) return
    openLayer(undefined)
    action()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey } = event
    if (key === 'Enter') run(current, ctrlKey || metaKey)
    else if (items.length === 0) return
    else if (key === 'ArrowDown') setPlace((active + 1) % items.length)
    else if (key === 'ArrowUp') setPlace((active + items.length - 1) % items.length)
    else if (key === 'PageDown') setPlace(Math.min(active + 8, items.length - 1))
    else if (key === 'PageUp') setPlace(Math.max(active - 8, 0))
    else return
    event.preventDefault()
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && openLayer(undefined)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fade-motion fixed inset-0 z-dialog bg-scrim" />
        <Dialog.Popup
          aria-label={t.title}
          className="dialog-motion fixed inset-x-4 top-[12vh] z-dialog mx-auto flex max-h-[min(32rem,76dvh)] max-w-[40rem] flex-col overflow-hidden rounded-4 bg-raised shadow-layer outline-none narrow:inset-x-0 narrow:top-auto narrow:bottom-0 narrow:max-h-[85dvh] narrow:rounded-b-none"
        >
          <div className="flex flex-none items-center gap-3 border-b border-line px-4 py-3">
            <Icon of={Search} className="text-muted" />
            {namespace && (
              <span className="flex flex-none items-center gap-1.5 rounded-1 bg-hover py-0.5 ps-1 pe-2 text-12">
                <Tile namespace={namespace} size="small" />
                {namespace.name || namespace.key}
              </span>
            )}
            <input
              // biome-ignore lint/a11y/noAutofocus: it is what the dialog is for
              autoFocus
              role="combobox"
              aria-expanded
              aria-controls={`${id}list`}
              aria-activedescendant={activeId}
              aria-autocomplete="list"
              aria-label={t.title}
              className="min-w-0 flex-1 text-16 outline-none"
              placeholder={t.placeholder}
              value={typed}
              maxLength={256}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => {
                setTyped(target.value)
                setPlace(0)
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <div
            ref={list}
            id={`${id}list`}
            role="listbox"
            aria-label={t.title}
            tabIndex={-1}
            className="min-h-0 flex-1 overflow-y-auto p-2"
          >
            {groups.map((group, groupPlace) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of a listbox is no fieldset
              <div
                key={group.title || `group ${groupPlace}`}
                role="group"
                aria-label={group.title || t.actions}
              >
                {group.title !== '' && (
                  <div className="px-2 pt-2 pb-1 text-12 text-faint" aria-hidden="true">
                    {group.title}
                  </div>
                )}
                {group.items.map((item) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
                  <div
                    key={item.id}
                    id={idOf(item)}
                    role="option"
                    tabIndex={-1}
                    aria-selected={item === current}
                    className={clsx(
                      'flex min-h-9 cursor-default items-center gap-3 rounded-2 px-2 text-13',
                      item === current && 'bg-hover',
                    )}
                    onMouseMove={() => setPlace(items.indexOf(item))}
                    onClick={({ ctrlKey, metaKey }) => run(item, ctrlKey || metaKey)}
                  >
                    <Icon of={item.icon} className="text-muted" />
                    <span className="flex min-w-0 flex-1 items-baseline gap-2">
                      <span className="truncate">{item.text}</span>
                      {item.detail !== undefined && item.detail !== item.text && (
                        <span className="truncate font-mono text-11 text-muted">{item.detail}</span>
                      )}
                    </span>
                    {item.end !== undefined && (
                      <span className="flex-none text-12 text-muted">{item.end}</span>
                    )}
                    {item.keys !== undefined && <Keys of={item.keys} className="narrow:hidden" />}
                  </div>
                ))}
              </div>
            ))}
            {items.length === 0 && (
              <p className="p-4 text-center text-13 text-muted">{t.nothing}</p>
            )}
          </div>
          <div className="flex flex-none flex-wrap items-center gap-x-4 gap-y-1 border-t border-line bg-sunken px-4 py-2 text-12 text-muted narrow:hidden">
            <span className="flex items-center gap-1.5">
              <Keys of="up down" /> {t.choose}
            </span>
            <span className="flex items-center gap-1.5">
              <Keys of="enter" /> {t.open}
            </span>
            <span className="flex items-center gap-1.5">
              <Keys of="mod enter" /> {t.openConsole}
            </span>
            <span className="ms-auto flex items-center gap-1.5">
              <Keys of=">" /> {t.onlyActions}
            </span>
          </div>
          <span role="status" className="sr-only">
            {t.results(items.length, number(items.length))}
          </span>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
