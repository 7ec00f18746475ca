import { Button } from '../components/button.tsx'
import { Menu, MenuChoice } from '../components/menu.tsx'
import { setPreferences, usePreferences } from '../data/preferences.ts'
import { languages } from '../text/language.ts'
import { Controls } from './controls.tsx'
import { Explanations } from './explanations.tsx'
import { Layers } from './layers.tsx'
import { Lists } from './lists.tsx'
import { Rails } from './rails.tsx'
import { Shares } from './shares.tsx'
import { Texts } from './text-parts.tsx'

/** Every component in every state. Texts here are examples and not translated. */
export function Gallery() {
  const { theme, density, language } = usePreferences()
  return (
    <main id="main" className="mx-auto max-w-page bg-surface px-6 py-6">
      <div className="flex items-center gap-3">
        <h1 className="flex-1">Components</h1>
        <Menu trigger={<Button>Look</Button>}>
          <MenuChoice
            title="Theme"
            value={theme}
            onChange={(theme) => setPreferences({ theme })}
            choices={[
              ['system', 'System'],
              ['light', 'Light'],
              ['dark', 'Dark'],
            ]}
          />
          <MenuChoice
            title="Rows"
            value={density}
            onChange={(density) => setPreferences({ density })}
            choices={[
              ['comfortable', 'Comfortable'],
              ['compact', 'Compact'],
            ]}
          />
          <MenuChoice
            title="Language"
            value={language}
            onChange={(language) => setPreferences({ language })}
            choices={languages}
          />
        </Menu>
      </div>
      <Controls />
      <Texts />
      <Shares />
      <Rails />
      <Explanations />
      <Lists />
      <Layers />
    </main>
  )
}
