import { Button } from '../components/button.tsx'
import { Card, Facts, SettingRow } from '../components/card.tsx'
import { Checkbox } from '../components/checkbox.tsx'
import { Empty, EmptyRail } from '../components/empty.tsx'
import { Pager } from '../components/pager.tsx'
import { SkeletonRows } from '../components/skeleton.tsx'
import { Switch } from '../components/switch.tsx'
import { Table, TableHead, Td, Th, Tr } from '../components/table.tsx'
import { Part } from './part.tsx'

export function Lists() {
  return (
    <>
      <Part title="Table">
        <Table label="Flags">
          <TableHead>
            <Th isTight>
              <Checkbox isChecked={false} isMixed name="Select all" onChange={() => {}} />
            </Th>
            <Th sort="ascending" onSort={() => {}}>
              Flag
            </Th>
            <Th sort="none" onSort={() => {}}>
              Changed
            </Th>
          </TableHead>
          <tbody className="narrow:block">
            {(['usual', 'cursor', 'selected', 'changed', 'attention'] as const).map((state) => (
              <Tr
                key={state}
                isCursor={state === 'cursor'}
                isSelected={state === 'selected'}
                isChanged={state === 'changed'}
                needsAttention={state === 'attention'}
              >
                <Td isTight>
                  <Checkbox isChecked={state === 'selected'} name={state} onChange={() => {}} />
                </Td>
                <Td>{state}</Td>
                <Td>yesterday</Td>
              </Tr>
            ))}
          </tbody>
        </Table>
        <Pager
          offset={25}
          size={25}
          total={180}
          link={(_page, className, children) => (
            <button type="button" className={className}>
              {children}
            </button>
          )}
        />
        <SkeletonRows count={3} />
      </Part>
      <Part title="Cards, empty">
        <div className="grid grid-cols-2 gap-4 narrow:grid-cols-1">
          <Card title="Gateway" footer="Seen 180 ms ago">
            <Facts
              facts={[
                ['Version', '1.0.0', 'version'],
                ['Revision', '4,182', 'revision'],
              ]}
            />
          </Card>
          <Card isFlush>
            <SettingRow title="Shortcuts" help="Single letters do something.">
              <Switch isOn name="Shortcuts" onChange={() => {}} />
            </SettingRow>
            <SettingRow title="Theme">
              <Button>System</Button>
            </SettingRow>
          </Card>
        </div>
        <Empty
          title="No flags in Mobile yet"
          picture={<EmptyRail />}
          command="curl https://flags.example.com/api/v1/namespaces/mobile/flags"
          actions={<Button look="primary">Create the first flag</Button>}
        >
          A flag is a named switch that your code asks about.
        </Empty>
      </Part>
    </>
  )
}
