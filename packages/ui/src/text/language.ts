/** The languages of the interface. English is in the page; another one is loaded when it is chosen. */
export type Language = 'en' | 'de'

export const languages: readonly (readonly [Language, name: string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
]
