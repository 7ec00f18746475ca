import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  type Modifier,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import {
  SortableContext,
  sortableKeyboardCoordinates,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable'
import { type ReactNode, useRef } from 'react'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { nameStep } from './sentences.ts'
import type { Step } from './steps.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  /** Those that can be moved, in their order. */
  readonly ids: readonly string[]
  readonly steps: readonly Step[]
  /** @param to the place of the step that it was dropped on */
  readonly onMove: (id: string, to: number) => void
  readonly children: ReactNode
}

/** Steps go up and down only. */
const vertical: Modifier = ({ transform }) => ({ ...transform, x: 0 })

/** Lets steps be dragged by their grips, and moved by keys; a live region says where they are. */
export function StepsList({ ids, steps, onMove, children }: Props) {
  const t = useTexts(targetingTexts)
  const format = useFormat()
  const isStarting = useRef(false)
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const placeOf = (id: UniqueIdentifier) => steps.findIndex((step) => step.id === id)
  const say = (
    id: UniqueIdentifier,
    at: UniqueIdentifier,
    sentence: (name: string, place: string, count: string) => string,
  ) => {
    const step = steps[placeOf(id)]
    if (step === undefined) return ''
    const { first } = nameStep(step, placeOf(id), t, format)
    return sentence(first, format.number(placeOf(at) + 1), format.number(steps.length))
  }
  const announcements: Announcements = {
    onDragStart({ active }) {
      isStarting.current = true
      return say(active.id, active.id, t.pickedUp)
    },
    onDragOver({ active, over }) {
      // It is over itself at first: that it is picked up is not to be talked over.
      const isSaid = isStarting.current && over?.id === active.id
      isStarting.current = false
      return isSaid ? undefined : say(active.id, (over ?? active).id, t.nowAt)
    },
    onDragEnd: ({ active, over }) => say(active.id, (over ?? active).id, t.nowAt),
    onDragCancel: ({ active }) => say(active.id, active.id, t.putBack),
  }
  const drop = ({ active, over }: DragEndEvent) => {
    if (over !== null && over.id !== active.id) onMove(String(active.id), placeOf(over.id))
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      modifiers={[vertical]}
      accessibility={{ announcements, screenReaderInstructions: { draggable: t.gripHelp } }}
      onDragEnd={drop}
    >
      <SortableContext items={[...ids]} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  )
}
