import { Card, SettingRow } from '../../components/card.tsx'
import { Select } from '../../components/select.tsx'
import { Switch } from '../../components/switch.tsx'
import { Segmented } from '../../components/tabs.tsx'
import { setPreferences, usePreferences } from '../../data/preferences.ts'
import { type Language, languages } from '../../text/language.ts'
import { prepareLanguage, useTexts } from '../../text/texts.ts'
import { Section } from './section.tsx'
import { settingsTexts } from './texts.ts'

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** What a reader has chosen for themselves. */
export function You() {
  const t = useTexts(settingsTexts)
  const { theme, density, language, clock, hasLetterShortcuts } = usePreferences()
  const speak = (language: Language) => {
    void prepareLanguage(language).then(() => setPreferences({ language }))
  }
  return (
    <Section id="you" title={t.you} lead={t.kept}>
      <Card isFlush>
        <SettingRow title={t.theme} help={t.themeHelp}>
          <Segmented
            label={t.theme}
            value={theme}
            onChange={(theme) => setPreferences({ theme })}
            choices={(['system', 'light', 'dark'] as const).map((one) => [one, t.themes[one]])}
          />
        </SettingRow>
        <SettingRow title={t.density} help={t.densityHelp}>
          <Segmented
            label={t.density}
            value={density}
            onChange={(density) => setPreferences({ density })}
            choices={(['comfortable', 'compact'] as const).map((one) => [one, t.densities[one]])}
          />
        </SettingRow>
        <SettingRow title={t.language} help={t.languageHelp}>
          <Select
            name={t.language}
            value={language}
            onChange={speak}
            choices={languages.map(([value, text]) => ({ value, text }))}
          />
        </SettingRow>
        <SettingRow title={t.clock} help={t.clockHelp}>
          <Segmented
            label={t.clock}
            value={clock}
            onChange={(clock) => setPreferences({ clock })}
            choices={(['local', 'utc'] as const).map((one) => [one, t.clocks[one]])}
          />
        </SettingRow>
        <SettingRow title={t.letters} help={t.lettersHelp(isMac ? '⌘K' : 'Ctrl K')}>
          <Switch
            isOn={hasLetterShortcuts}
            name={t.letters}
            onChange={(hasLetterShortcuts) => setPreferences({ hasLetterShortcuts })}
          />
        </SettingRow>
      </Card>
    </Section>
  )
}
