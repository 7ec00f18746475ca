import { useEffect, useRef } from 'react'
import { usePreferences } from '../data/preferences.ts'

/** What keys do, by their names: `mod+k`, `[`, `?`, `alt+ArrowUp`, or `g f` for one after the other. */
export type Shortcuts = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>

/** How long the first of two keys is waited with, in milliseconds. */
const sequenceMs = 1200

/** What components listen for, the one that came last first. */
const listening: { shortcuts: Shortcuts; hasLetters: boolean }[] = []

/** The first of two keys, for a moment: listeners for both go before those for the second alone. */
let first = ''
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Listens for keys while the component is there. Single letters do nothing during typing, while a
 * layer is open, and when they are turned off.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const { hasLetterShortcuts } = usePreferences()
  const own = useRef({ shortcuts, hasLetters: hasLetterShortcuts })
  useEffect(() => {
    own.current.shortcuts = shortcuts
    own.current.hasLetters = hasLetterShortcuts
  })
  useEffect(() => {
    const { current } = own
    if (listening.length === 0) addEventListener('keydown', onKeyDown)
    listening.unshift(current)
    return () => {
      listening.splice(listening.indexOf(current), 1)
      if (listening.length === 0) removeEventListener('keydown', onKeyDown)
    }
  }, [])
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const name = nameOf(event)
  const isPlain = !/^(mod|alt)\+/.test(name)
  if (isPlain && (isTyping(targetOf(event)) || isLayerOpen())) return
  const active = listening
    .filter(({ hasLetters }) => hasLetters || !isPlain)
    .map(({ shortcuts }) => shortcuts)
  const find = (name: string) => active.find((one) => one[name] !== undefined)?.[name]
  const run = (first === '' ? undefined : find(`${first} ${name}`)) ?? find(name)
  clearTimeout(timer)
  first = ''
  if (run !== undefined) {
    event.preventDefault()
    run(event)
  } else if (active.some((one) => Object.keys(one).some((key) => key.startsWith(`${name} `)))) {
    first = name
    timer = setTimeout(() => {
      first = ''
    }, sequenceMs)
  }
}

function nameOf(event: KeyboardEvent): string {
  const { key, shiftKey } = event
  // Of a sign that takes AltGr, such as `[` on a German keyboard, the modifiers are a part.
  const isSign = key.length === 1 && event.getModifierState('AltGraph')
  const [hasMod, hasAlt] = isSign ? [] : [event.ctrlKey || event.metaKey, event.altKey]
  const name = key.length === 1 ? key.toLowerCase() : key
  const isLetter = /^[a-z]$/.test(name)
  return [
    ...(hasMod ? ['mod'] : []),
    ...(hasAlt ? ['alt'] : []),
    // Of signs, such as `?`, Shift is a part.
    ...(shiftKey && (isLetter || key.length > 1) ? ['shift'] : []),
    name,
  ].join('+')
}

/** Also what is within a shadow root, such as an editor. */
export function targetOf(event: KeyboardEvent): EventTarget | null {
  return event.composedPath()[0] ?? event.target
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true
  if (target instanceof HTMLSelectElement) return true
  return (
    target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type)
  )
}

/** Messages at the edge of the page have the role of dialogs too, and are none. */
const layers =
  ':is([role=dialog], [role=alertdialog]):not([aria-modal=false]), [role=menu], [role=listbox]'

/** Whether the page lies under a dialog, which hides it from screen readers. */
export function isModalOpen(): boolean {
  return document.querySelector('[aria-hidden=true] #main') !== null
}

function isLayerOpen(): boolean {
  // The list of a select stays, hidden, once it was open.
  return [...document.querySelectorAll(layers)].some((layer) => layer.checkVisibility())
}
