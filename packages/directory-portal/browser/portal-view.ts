import type { Ask, Connection, Provider, Secret, Session } from './api.ts'
import type { en } from '../src/words/en.ts'

/** The texts that the page needs of a language. */
export type PageWords = Pick<typeof en, 'ui' | 'outcomes' | 'reasons'>

/** What a view is made of. */
export interface PortalView {
  readonly ask: Ask
  readonly base: string
  readonly session: Session
  readonly words: PageWords
  readonly language: string
  /** A text of the page with its placeholders filled in. */
  readonly say: (
    key: keyof PageWords['ui'],
    values?: Readonly<Record<string, string | number>>,
  ) => string
  /** Date and time in the language. */
  readonly when: (at: string) => string
  /** Goes to an address such as `/connections/ID/log`. */
  readonly go: (address: string) => void
  /** Draws the view anew. */
  readonly redraw: () => void
  /** Does something and tells what went wrong, unless the view was left. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<void>
  /** Aborted when the view is left. */
  readonly signal: AbortSignal
  /** The secret that is shown; nothing else keeps it. */
  readonly secret: { current: { readonly connectionId: string; readonly secret: Secret } | null }
  readonly canManage: boolean
}

/** A view of one connection. */
export interface ConnectionPage extends PortalView {
  readonly connection: Connection
  readonly provider: Provider
}
