import { useState } from 'react'
import { Card } from '../../../components/card.tsx'
import { CopyButton } from '../../../components/copy-key.tsx'
import { Segmented } from '../../../components/tabs.tsx'
import { baseUrl } from '../../../data/api.ts'
import { curlOf } from '../../../data/snippets.ts'
import { askFromTerminal, clientCode } from '../../../data/terminal.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { defaultOf } from './split.ts'
import { isBoolean } from './steps.ts'
import { targetingTexts } from './texts.ts'

const languages = ['client', 'openfeature', 'terminal', 'curl'] as const
type Language = (typeof languages)[number]

/** How code asks for the flag, while nothing else is to be seen. */
export function UseIt() {
  const t = useTexts(targetingTexts)
  const { flag, namespace } = useFlag()
  const [language, setLanguage] = useState<Language>('client')
  const call = isBoolean(flag)
    ? `client.getBooleanValue(\n  '${flag.key}', false,`
    : `client.getStringValue(\n  '${flag.key}', '${defaultOf(flag) ?? ''}',`
  const texts: Readonly<Record<Language, string>> = {
    client: clientCode(baseUrl, namespace.key, flag, defaultOf(flag)),
    openfeature: `await ${call}\n  { targetingKey: user.id })`,
    terminal: askFromTerminal('evaluate', namespace.key, flag.key),
    curl: curlOf(namespace.key, flag),
  }
  return (
    <Card
      title={t.useIt}
      actions={
        <Segmented
          label={t.language}
          value={language}
          choices={languages.map((one) => [one, t.languages[one]] as const)}
          onChange={setLanguage}
        />
      }
    >
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
        className="mb-3 overflow-x-auto rounded-3 border border-line bg-sunken p-3 text-12 leading-[1.65]"
      >
        {texts[language]}
      </pre>
      <CopyButton text={texts[language]} isBlock />
    </Card>
  )
}
