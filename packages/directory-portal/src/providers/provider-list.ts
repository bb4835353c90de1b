import { fillIn, wordsOf } from '../words/words.ts'
import { PORTAL_PROVIDERS, PROVIDER_FACTS, type PortalProvider } from './providers.ts'

/** The day on which the steps were compared with the documentation of each console. */
const REVIEWED = '2026-11-27'

/** A directory with the steps of its console. */
export interface Provider {
  readonly id: PortalProvider
  readonly name: string
  readonly auth: readonly ('token' | 'client')[]
  readonly cycleMinutes: number | null
  readonly reviewed: string
  readonly source: string
  readonly steps: readonly {
    readonly id: string
    readonly title: string
    readonly text: string
    /** `address` and `secret` stand for the values of the connection; anything else is typed as it is. */
    readonly fields: readonly { readonly label: string; readonly value: string }[]
    /** Name of the drawing below the portal's path. */
    readonly figure: string | null
    readonly alt: string | null
  }[]
}

/** All directories, with their steps in a language. */
export function providerList(language: string, app: string): readonly Provider[] {
  const { steps: texts, ui } = wordsOf(language)
  return PORTAL_PROVIDERS.map((id) => {
    const { name, cycleMinutes, source, steps } = PROVIDER_FACTS[id]
    return {
      id,
      name,
      auth: ['token'],
      cycleMinutes,
      reviewed: REVIEWED,
      source,
      steps: steps.map((step) => {
        const { title, text } = texts[step.id]
        const hasFigure = step.fields.length > 0 && id !== 'other'
        const labels = step.fields.map(([label]) => label).join(', ')
        return {
          id: step.id,
          title,
          text: fillIn(text, { path: step.path, app, name }),
          fields: step.fields.map(([label, value]) => ({ label, value })),
          figure: hasFigure ? `figures/${id}.svg` : null,
          alt: hasFigure ? fillIn(ui.figure, { name, fields: labels }) : null,
        }
      }),
    }
  })
}
