import { Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Checkbox } from '../components/checkbox.tsx'
import { ChoiceCards } from '../components/choice-cards.tsx'
import { ColorChoice } from '../components/color-choice.tsx'
import { Combobox } from '../components/combobox.tsx'
import { CopyButton, CopyKey } from '../components/copy-key.tsx'
import { Field } from '../components/field.tsx'
import { FilterButton } from '../components/filter-button.tsx'
import { Icon } from '../components/icon.tsx'
import { findJsonProblem } from '../components/json-editor/json.ts'
import { JsonEditor } from '../components/json-editor/json-editor.tsx'
import { Keys } from '../components/keys.tsx'
import { PercentField } from '../components/percent-field.tsx'
import { Select } from '../components/select.tsx'
import { Switch } from '../components/switch.tsx'
import { Segmented, Tabs, tabClass } from '../components/tabs.tsx'
import { TextArea, TextInput } from '../components/text-input.tsx'
import { ValuesField } from '../components/values-field.tsx'
import { Part, Row } from './part.tsx'

const looks = ['primary', 'secondary', 'quiet', 'danger', 'quiet-danger', 'danger-fill'] as const

export function Controls() {
  const [isOn, setOn] = useState(true)
  const [share, setShare] = useState<number | null>(25)
  const [values, setValues] = useState<readonly string[]>(['DE', 'AT', 'CH'])
  const [choice, setChoice] = useState('eq')
  const [segment, setSegment] = useState('beta')
  const [look, setLook] = useState<'sentences' | 'yaml'>('sentences')
  const [kind, setKind] = useState<'boolean' | 'variant'>('boolean')
  const [color, setColor] = useState('blue')
  const [json, setJson] = useState('{\n  "primary": "#1d4ed8",\n  "limit": 3,\n  "beta": true\n}')
  const problem = findJsonProblem(json)
  return (
    <>
      <Part title="Button">
        {(['small', 'usual', 'large'] as const).map((size) => (
          <Row key={size}>
            {looks.map((look) => (
              <Button key={look} look={look} size={size}>
                {look}
              </Button>
            ))}
          </Row>
        ))}
        <Row>
          <Button look="primary">
            <Icon of={Plus} />
            New flag
            <Keys of="c" onInk />
          </Button>
          <Button isIcon aria-label="Search">
            <Icon of={Search} />
          </Button>
          <Button look="primary" isBusy>
            Save to Production
          </Button>
          <Button disabledReason="This token may only read.">Disabled</Button>
          <Button look="primary" disabledReason="The total is 110%.">
            Disabled
          </Button>
        </Row>
      </Part>
      <Part title="Switch, checkbox, choice">
        <Row>
          <Switch isOn={isOn} name="New checkout: everyone else gets On" onChange={setOn} />
          <Switch isOn={!isOn} name="Off" onChange={(on) => setOn(!on)} />
          <Switch isOn={isOn} isLarge name="Large" onChange={setOn} />
          <Switch
            isOn
            disabledReason="The server cannot be reached."
            name="Disabled"
            onChange={setOn}
          />
          <Checkbox isChecked={isOn} onChange={setOn}>
            Checked
          </Checkbox>
          <Checkbox isChecked={false} isMixed onChange={setOn}>
            Mixed
          </Checkbox>
        </Row>
        <ChoiceCards
          label="What does your code need?"
          value={kind}
          onChange={setKind}
          choices={[
            { value: 'boolean', title: 'Yes or no', children: 'Switch something on for some.' },
            { value: 'variant', title: 'One of several', children: 'An experiment.' },
          ]}
        />
        <ColorChoice label="Colour" value={color} names={{ blue: 'Blue' }} onChange={setColor} />
      </Part>
      <Part title="Fields">
        <div className="grid grid-cols-3 gap-4 narrow:grid-cols-1">
          <Field label="Name" help="What people call it.">
            {(ids) => <TextInput {...ids} defaultValue="Express delivery" />}
          </Field>
          <Field label="Key" error="There is a flag express-delivery already.">
            {(ids) => <TextInput {...ids} isMono defaultValue="express-delivery" />}
          </Field>
          <Field label="Id" isReadOnly mark="read-only" end="12 / 255">
            {(ids) => <TextInput {...ids} isMono readOnly value="5f1c1b2e" />}
          </Field>
          <Field label="Description" mark="optional">
            {(ids) => <TextArea {...ids} placeholder="What changes for people" />}
          </Field>
          <Field label="Countries" help="Enter or a comma adds one; paste a column.">
            {(ids) => <ValuesField ids={ids} values={values} onChange={setValues} />}
          </Field>
          <div className="grid content-start gap-3">
            <Row>
              <PercentField value={share} name="Share" onChange={setShare} />
              <PercentField value={110} name="Too much" isWrong onChange={() => {}} />
            </Row>
          </div>
        </div>
      </Part>
      <Part title="JSON">
        <div className="grid grid-cols-2 gap-4 narrow:grid-cols-1">
          <Field
            label="Attachment"
            help="Sent along with the variant."
            error={problem && `Line ${problem.line} is not JSON`}
          >
            {(ids) => <JsonEditor ids={ids} name="Attachment" value={json} onChange={setJson} />}
          </Field>
          <JsonEditor name="Read-only" isReadOnly value={'{ "old": null }'} onChange={() => {}} />
        </div>
      </Part>
      <Part title="Select, combobox, filter, tabs">
        <Row>
          <Select
            name="Operator"
            value={choice}
            onChange={setChoice}
            choices={[
              { value: 'eq', text: 'is' },
              { value: 'neq', text: 'is not', help: 'Never matches when it is missing' },
              { value: 'in', text: 'is one of' },
            ]}
          />
          <Combobox
            label="Segments"
            trigger={<Button>{segment}</Button>}
            value={segment}
            onChange={setSegment}
            onCreate={setSegment}
            items={['beta', 'staff', 'eu-customers'].map((value) => ({
              value,
              text: value,
              detail: value,
            }))}
          />
          <FilterButton name="Tag" onClear={() => {}} />
          <FilterButton name="Tag" chosen="experiment" onClear={() => {}} />
          <Segmented
            label="Look"
            value={look}
            onChange={setLook}
            choices={[
              ['sentences', 'Sentences'],
              ['yaml', 'YAML'],
            ]}
          />
          <CopyKey text="new-checkout" />
          <CopyButton text="svc" />
        </Row>
        <Tabs label="Parts">
          <a className={tabClass} href="/" aria-current="page">
            Targeting
          </a>
          <a className={tabClass} href="/">
            Variants
          </a>
        </Tabs>
      </Part>
    </>
  )
}
