import { type ReactNode, useEffect, useState } from 'react'
import { usePreferences } from '../data/preferences.ts'
import { en } from './en/index.ts'
import { type Text, TextContext } from './text.ts'

/** Gives the page its language. English is there at once; German is loaded when it is chosen. */
export function Texts({ children }: { readonly children: ReactNode }) {
  const { language } = usePreferences()
  const [german, setGerman] = useState<Text>()
  useEffect(() => {
    document.documentElement.lang = language
    if (language === 'de')
      import('./de/index.ts').then(
        ({ de }) => setGerman(de),
        () => {},
      )
  }, [language])
  if (language === 'de' && german !== undefined) {
    return <TextContext value={{ language, text: german }}>{children}</TextContext>
  }
  return <TextContext value={{ language: 'en', text: en }}>{children}</TextContext>
}
