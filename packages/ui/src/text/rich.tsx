/** Around what is printed bold: private characters, which are taken out of names. */
const [start, end] = ['\ue000', '\ue001']

/** A name within a sentence of the catalogue, which {@link Rich} prints bold. */
export function bold(name: string): string {
  return `${start}${name.replaceAll(start, '').replaceAll(end, '')}${end}`
}

/** A sentence of the catalogue with its names bold. */
export function Rich({ text }: { readonly text: string }) {
  const parts = text.split(/\ue000([^\ue000\ue001]*)\ue001/)
  return parts.map((part, place) =>
    // The parts of a sentence have no other name than their place.
    place % 2 === 1 ? <b key={place}>{part}</b> : part,
  )
}
