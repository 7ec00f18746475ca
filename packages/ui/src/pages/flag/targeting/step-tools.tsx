import {
  ArrowDown,
  ArrowUp,
  ArrowUpToLine,
  ChevronUp,
  CopyPlus,
  Ellipsis,
  Pencil,
  Percent,
  Trash2,
} from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../../components/menu.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  /** What the step is called, such as `rollout 1`. */
  readonly name: string
  readonly isFirst: boolean
  readonly isLast: boolean
  /** @param to `top`, or by how many places */
  readonly onMove: (to: 'top' | 1 | -1) => void
  readonly onCopy: () => void
  readonly onRemove: () => void
  readonly onDescribe?: (() => void) | undefined
  /** A share of a segment is wanted, and what that is called here. */
  readonly share?: { readonly text: string; readonly onWant: () => void } | undefined
  readonly onFold?: (() => void) | undefined
}

/** What can be done with a step as a whole, each with one press. */
export function StepTools({
  name,
  isFirst,
  isLast,
  onMove,
  onCopy,
  onRemove,
  onDescribe,
  share,
  onFold,
}: Props) {
  const t = useTexts(targetingTexts)
  const c = useTexts(componentTexts)
  const { readOnlyReason } = useFlag()
  const first = readOnlyReason ?? (isFirst ? t.isFirst : undefined)
  const last = readOnlyReason ?? (isLast ? t.isLast : undefined)
  const small = { look: 'quiet', size: 'small', isIcon: true } as const
  return (
    <span className="flex flex-none items-center">
      <Button
        {...small}
        className="narrow:hidden border-transparent! bg-transparent!"
        aria-label={t.moveUp(name)}
        disabledReason={first}
        onClick={() => onMove(-1)}
      >
        <Icon of={ArrowUp} small />
      </Button>
      <Button
        {...small}
        className="narrow:hidden border-transparent! bg-transparent!"
        aria-label={t.moveDown(name)}
        disabledReason={last}
        onClick={() => onMove(1)}
      >
        <Icon of={ArrowDown} small />
      </Button>
      <Menu
        trigger={
          <Button {...small} aria-label={c.more(name)}>
            <Icon of={Ellipsis} />
          </Button>
        }
      >
        <MenuItem icon={ArrowUpToLine} disabledReason={first} onSelect={() => onMove('top')}>
          {t.toTop}
        </MenuItem>
        <MenuItem icon={ArrowUp} keys="alt up" disabledReason={first} onSelect={() => onMove(-1)}>
          {t.up}
        </MenuItem>
        <MenuItem icon={ArrowDown} keys="alt down" disabledReason={last} onSelect={() => onMove(1)}>
          {t.down}
        </MenuItem>
        <MenuLine />
        {onFold && (
          <MenuItem icon={ChevronUp} onSelect={onFold}>
            {t.fold}
          </MenuItem>
        )}
        {onDescribe && (
          <MenuItem icon={Pencil} disabledReason={readOnlyReason} onSelect={onDescribe}>
            {t.describe}
          </MenuItem>
        )}
        {share && (
          <MenuItem icon={Percent} disabledReason={readOnlyReason} onSelect={share.onWant}>
            {share.text}
          </MenuItem>
        )}
        <MenuItem icon={CopyPlus} disabledReason={readOnlyReason} onSelect={onCopy}>
          {t.copy}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} isDanger disabledReason={readOnlyReason} onSelect={onRemove}>
          {t.remove}
        </MenuItem>
      </Menu>
    </span>
  )
}
