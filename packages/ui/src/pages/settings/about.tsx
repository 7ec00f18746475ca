import { useQuery } from '@tanstack/react-query'
import { Card, Facts } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-key.tsx'
import { Note } from '../../components/note.tsx'
import { baseUrl } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { infoQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
import { Section } from './section.tsx'
import { settingsTexts } from './texts.ts'

/** What runs here. */
export function About() {
  const t = useTexts(settingsTexts)
  const { data, error } = useQuery(infoQuery)
  const facts =
    data === undefined
      ? []
      : ([
          [t.version, data.version],
          [t.runtime, data.goVersion],
          [t.system, `${data.os} ${data.arch}`],
          [t.address, baseUrl],
        ] as const)
  return (
    <Section
      id="about"
      title={t.about}
      action={
        data !== undefined && (
          <CopyButton
            size="small"
            label={t.copyAll}
            text={facts.map(([name, value]) => `${name}: ${value}`).join('\n')}
          />
        )
      }
    >
      {error !== null && data === undefined && <Note kind="failure">{messageOf(error)}</Note>}
      {data !== undefined && (
        <Card>
          <Facts facts={facts.map(([name, value]) => [name, value, name])} />
        </Card>
      )}
    </Section>
  )
}
