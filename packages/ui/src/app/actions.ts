import { createStore, useStore } from '../data/store.ts'

/** The layers that belong to no page. */
export type LayerName = 'palette' | 'shortcuts' | 'namespace'

const open = createStore<LayerName | undefined>(undefined)

export function openLayer(name: LayerName | undefined): void {
  open.set(name)
}

export function useOpenLayer(): LayerName | undefined {
  return useStore(open)
}
