import { Fragment } from 'react'
import { Rich } from '../text/rich.tsx'

/** Around what comes and what goes in a sentence: private characters, which are taken out of names. */
const [insStart, insEnd, delStart, delEnd] = ['\ue010', '\ue011', '\ue012', '\ue013']

/** What comes, within a sentence that {@link Marked} prints. */
export function inserted(text: string): string {
  return `${insStart}${text}${insEnd}`
}

/** What goes. */
export function deleted(text: string): string {
  return `${delStart}${text}${delEnd}`
}

/** A name without characters that mark anything. */
export function clean(name: string): string {
  return name.replace(/[\ue000-\ue0ff]/g, '')
}

/** A sentence with what comes and goes in it. */
export function Marked({ text }: { readonly text: string }) {
  const parts = text.split(/(\ue010[^\ue010-\ue013]*\ue011|\ue012[^\ue010-\ue013]*\ue013)/)
  return parts.map((part, place) => {
    const inner = <Rich text={part.replace(/[\ue010-\ue013]/g, '')} />
    // The parts of a sentence have no other name than their place.
    if (part.startsWith(insStart)) return <ins key={place}>{inner}</ins>
    if (part.startsWith(delStart)) return <del key={place}>{inner}</del>
    return <Fragment key={place}>{inner}</Fragment>
  })
}
