import { de } from './de.ts'
import { en, type Words } from './en.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'

export type FindingName = keyof Words['findings']

/** The texts by language. */
export const WORDS: ReadonlyMap<string, Words> = new Map([
  ['en', en],
  ['de', de],
  ['fr', fr],
  ['ja', ja],
])

/** The known language of a tag such as `de-AT`; English for others. */
export function languageOf(tag: string | null): string {
  const [language = ''] = (tag ?? '').toLowerCase().split('-')
  return WORDS.has(language) ? language : 'en'
}

export const wordsOf = (language: string): Words => WORDS.get(language) ?? en

/** A text with its placeholders filled in; a placeholder without a value stays. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}
