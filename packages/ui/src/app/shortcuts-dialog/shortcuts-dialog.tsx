import { ExternalLink } from 'lucide-react'
import { buttonClass } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Keys } from '../../components/keys.tsx'
import { basePath } from '../../data/api.ts'
import { setPreferences, usePreferences } from '../../data/preferences.ts'
import { useTexts } from '../../text/texts.ts'
import { openLayer } from '../actions.ts'
import { shortcutsTexts } from './texts.ts'

/** All keys that do something, and the switch for single letters. */
export default function ShortcutsDialog() {
  const t = useTexts(shortcutsTexts)
  const { hasLetterShortcuts } = usePreferences()
  const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    [
      t.groups.everywhere,
      [
        ['mod k', t.palette],
        ['?', t.help],
        ['[', t.fold],
        ['/', t.search],
        ['c', t.create],
        ['escape', t.close],
        ['F6', t.toasts],
      ],
    ],
    [
      t.groups.goTo,
      [
        ['g f', t.flags],
        ['g s', t.segments],
        ['g c', t.console],
        ['g h', t.changes],
        ['g a', t.audit],
        ['g t', t.tokens],
        ['g u', t.status],
      ],
    ],
    [
      t.groups.lists,
      [
        ['j', t.nextRow],
        ['k', t.lastRow],
        ['enter', t.open],
        ['x', t.select],
        ['shift x', t.selectRange],
        ['e', t.toggle],
      ],
    ],
    [
      t.groups.editing,
      [
        ['mod s', t.save],
        ['mod z', t.undo],
        ['shift mod z', t.redo],
        ['alt up', t.move],
        ['mod enter', t.evaluate],
      ],
    ],
  ]
  return (
    <Dialog
      isOpen
      size="wide"
      title={t.title}
      onClose={() => openLayer(undefined)}
      footer={
        <>
          <div className="flex-1">
            <Checkbox
              isChecked={hasLetterShortcuts}
              onChange={(isOn) => setPreferences({ hasLetterShortcuts: isOn })}
            >
              {t.lettersOn}
            </Checkbox>
          </div>
          <a className={buttonClass()} href={`${basePath}/docs`} target="_blank" rel="noreferrer">
            {t.docs}
            <Icon of={ExternalLink} small />
          </a>
        </>
      }
    >
      <div className="grid grid-cols-2 gap-x-10 gap-y-6 narrow:grid-cols-1">
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h3 className="mb-1 text-muted">{title}</h3>
            <dl>
              {keys.map(([of, text]) => (
                <div
                  key={of}
                  className="flex min-h-8 items-center gap-3 border-b border-line text-13 last:border-b-0"
                >
                  <dt className="flex-1">{text}</dt>
                  <dd>
                    <span className="sr-only">{of}</span>
                    <Keys of={of} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
