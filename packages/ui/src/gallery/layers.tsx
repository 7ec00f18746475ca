import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Ask, Dialog, SidePanel } from '../components/dialog.tsx'
import { DraftBar } from '../components/draft-bar.tsx'
import { Field } from '../components/field.tsx'
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx'
import { Popover } from '../components/popover.tsx'
import { SecretPanel } from '../components/secret-panel.tsx'
import { TextInput } from '../components/text-input.tsx'
import { showToast } from '../components/toast.tsx'
import { Tooltip } from '../components/tooltip.tsx'
import { Part, Row } from './part.tsx'

type Open = 'dialog' | 'ask' | 'side' | 'secret' | undefined

export function Layers() {
  const [open, setOpen] = useState<Open>()
  const [typed, setTyped] = useState('')
  const close = () => setOpen(undefined)
  return (
    <>
      <Part title="Layers">
        <Row>
          <Button onClick={() => setOpen('dialog')}>Dialog</Button>
          <Button onClick={() => setOpen('ask')}>Ask</Button>
          <Button onClick={() => setOpen('side')}>Side panel</Button>
          <Button onClick={() => setOpen('secret')}>Secret</Button>
          <Button
            onClick={() =>
              showToast(
                <span>
                  <b>Payments kill switch</b> is on in Production
                </span>,
                { action: { label: 'Undo', run: () => {} } },
              )
            }
          >
            Toast with Undo
          </Button>
          <Button onClick={() => showToast('Not saved: no answer', { isFailure: true })}>
            Toast of a failure
          </Button>
          <Menu trigger={<Button>Menu</Button>}>
            <MenuItem keys="enter" onSelect={() => {}}>
              Open
            </MenuItem>
            <MenuItem disabledReason="This token may only read." onSelect={() => {}}>
              Turn off
            </MenuItem>
            <MenuLine />
            <MenuItem icon={Trash2} isDanger onSelect={() => {}}>
              Delete…
            </MenuItem>
          </Menu>
          <Popover label="More" trigger={<Button>Popover</Button>}>
            A few controls.
          </Popover>
          <Tooltip text="More about it">
            <Button look="quiet">Tooltip</Button>
          </Tooltip>
        </Row>
        <DraftBar count={3} isKept onReview={() => {}} onDiscard={() => {}} onUndo={() => {}} />
      </Part>
      <Dialog
        isOpen={open === 'dialog'}
        isDirty={typed !== ''}
        onClose={close}
        title="New flag"
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button look="primary">Create flag</Button>
          </>
        }
      >
        <Field label="Name">
          {(ids) => (
            <TextInput {...ids} value={typed} onChange={({ target }) => setTyped(target.value)} />
          )}
        </Field>
      </Dialog>
      <Ask
        isOpen={open === 'ask'}
        isDanger
        onClose={close}
        onConfirm={close}
        title="Delete new-checkout?"
        action="Delete new-checkout"
      >
        Code that asks for it gets an error, and the default in the code.
      </Ask>
      <SidePanel isOpen={open === 'side'} onClose={close} title="Variant blue">
        What is in it.
      </SidePanel>
      <SecretPanel
        secret={open === 'secret' ? 'svc_0yJ5mT9vZk3Q' : undefined}
        title="Token ci-deploy"
        variable="SVC_TOKEN"
        fileName="ci-deploy.env"
        onClose={close}
      />
    </>
  )
}
