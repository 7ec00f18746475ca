import type { FlagDocument, VariantDocument } from '@svc/client/api'
import { Copy, Ellipsis, Pencil, Star, Trash2 } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { Badge, HueDot } from '../../../components/chip.tsx'
import { useCopyToast } from '../../../components/copy-key.tsx'
import { type Hue, hueOf } from '../../../components/hue.ts'
import { Icon } from '../../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../../components/menu.tsx'
import { Table, TableHead, Td, Th, Tr } from '../../../components/table.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { previewOf } from './attachment.ts'
import { ruleCount } from './edits.ts'
import { variantsTexts } from './texts.ts'

interface Props {
  readonly flag: FlagDocument
  readonly openKey: string | undefined
  readonly readOnlyReason: string | undefined
  readonly onOpen: (key: string) => void
  readonly onDelete: (key: string) => void
  readonly onMakeDefault: (key: string) => void
}

export function VariantTable({ flag, openKey, ...rest }: Props) {
  const t = useTexts(variantsTexts)
  return (
    <Table label={t.title}>
      <TableHead>
        <Th>{t.variant}</Th>
        <Th>{t.nameColumn}</Th>
        <Th>{t.attachment}</Th>
        <Th>{t.usedBy}</Th>
        <Th isTight>
          <span className="sr-only">{t.more}</span>
        </Th>
      </TableHead>
      <tbody className="narrow:block">
        {flag.variants.map((variant, place) => (
          <VariantRow
            key={variant.key}
            variant={variant}
            hue={hueOf(place)}
            rules={ruleCount(flag, variant.key)}
            isOpen={variant.key === openKey}
            {...rest}
          />
        ))}
      </tbody>
    </Table>
  )
}

interface RowProps extends Omit<Props, 'flag' | 'openKey'> {
  readonly variant: VariantDocument
  readonly hue: Hue
  readonly rules: number
  readonly isOpen: boolean
}

function VariantRow({
  variant,
  hue,
  rules,
  isOpen,
  readOnlyReason,
  onOpen,
  onDelete,
  onMakeDefault,
}: RowProps) {
  const t = useTexts(variantsTexts)
  const c = useTexts(componentTexts)
  const { number } = useFormat()
  const { key, name, description, attachment } = variant
  const copyToast = useCopyToast()
  return (
    <Tr isSelected={isOpen} className="narrow:grid-cols-[minmax(0,1fr)_auto]">
      <Td className="md:w-[26%] md:max-w-0 md:min-w-36">
        <button
          type="button"
          className="flex max-w-full min-w-0 items-center gap-1.5 rounded-1 text-start font-mono text-12 hover:underline hover:underline-offset-[0.2em] touch:min-h-9"
          onClick={() => onOpen(key)}
        >
          <HueDot hue={hue} />
          <span className="truncate font-medium">{key}</span>
          {variant.default && (
            <span className="ms-1 flex-none font-sans">
              <Badge>{t.default}</Badge>
            </span>
          )}
        </button>
      </Td>
      <Td className="md:w-[30%] md:max-w-0 narrow:col-span-2 narrow:pe-2! narrow:empty:hidden">
        {name !== '' && <span className="block truncate">{name}</span>}
        {description !== '' && (
          <span className="block truncate text-12 text-muted">{description}</span>
        )}
      </Td>
      <Td className="md:max-w-0">
        <code className="block truncate text-12 text-muted">
          {previewOf(attachment) || <span className="text-faint">{t.noAttachment}</span>}
        </code>
      </Td>
      <Td className="text-12 whitespace-nowrap text-muted narrow:pe-2!">
        {rules === 0 ? t.notUsed : t.rules(rules, number(rules))}
      </Td>
      <Td isEnd className="narrow:col-start-2 narrow:row-start-1">
        <Menu
          trigger={
            <Button look="quiet" isIcon aria-label={c.more(key)}>
              <Icon of={Ellipsis} />
            </Button>
          }
        >
          <MenuItem icon={Pencil} onSelect={() => onOpen(key)}>
            {t.edit}
          </MenuItem>
          {!variant.default && (
            <MenuItem
              icon={Star}
              onSelect={() => onMakeDefault(key)}
              disabledReason={readOnlyReason}
            >
              {t.makeDefault}
            </MenuItem>
          )}
          <MenuItem icon={Copy} onSelect={() => copyToast(key, t.copied(key))}>
            {t.copyKey}
          </MenuItem>
          <MenuLine />
          <MenuItem
            icon={Trash2}
            isDanger
            onSelect={() => onDelete(key)}
            disabledReason={readOnlyReason}
          >
            {t.delete}
          </MenuItem>
        </Menu>
      </Td>
    </Tr>
  )
}
