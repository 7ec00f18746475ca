import { useState } from 'react'
import { Card } from '../../../components/card.tsx'
import { CopyButton } from '../../../components/copy-key.tsx'
import { Segmented } from '../../../components/tabs.tsx'
import { curlOf } from '../../../data/snippets.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { defaultOf } from './split.ts'
import { isBoolean } from './steps.ts'
import { targetingTexts } from './texts.ts'

/** How code asks for the flag, while nothing else is to be seen. */
export function UseIt() {
  const t = useTexts(targetingTexts)
  const { flag, namespace } = useFlag()
  const [language, setLanguage] = useState<'openfeature' | 'curl'>('openfeature')
  const call = isBoolean(flag)
    ? `client.getBooleanValue(\n  '${flag.key}', false,`
    : `client.getStringValue(\n  '${flag.key}', '${defaultOf(flag) ?? ''}',`
  const texts = {
    openfeature: `await ${call}\n  { targetingKey: user.id })`,
    curl: curlOf(namespace.key, flag),
  }
  return (
    <Card
      title={t.useIt}
      actions={
        <Segmented
          label={t.language}
          value={language}
          choices={[
            ['openfeature', 'OpenFeature'],
            ['curl', 'curl'],
          ]}
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
