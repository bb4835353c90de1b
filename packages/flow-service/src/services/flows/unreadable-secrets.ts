import type { SealedKind } from '../../store/sealed-values.ts'
import type { UnreadableValue } from './stored-secrets.ts'

/** Told once to `onError` when an engine starts with a key that does not open what is stored. */
export class UnreadableSecretsError extends Error {
  readonly code = 'unreadable_secrets'
  readonly values: readonly UnreadableValue[]

  constructor(values: readonly UnreadableValue[]) {
    super(sentenceOf(values))
    this.name = 'UnreadableSecretsError'
    this.values = values
  }
}

const NOUNS: Readonly<Record<SealedKind, readonly [one: string, several: string]>> = {
  variable: ['variable', 'variables'],
  toolServer: ['tool server', 'tool servers'],
  project: ['MCP setting', 'MCP settings'],
  collection: ['knowledge base key', 'knowledge base keys'],
  storeKey: ['store key', 'store keys'],
}

function sentenceOf(values: readonly UnreadableValue[]): string {
  const counts = Object.entries(NOUNS)
    .map(([kind, nouns]) => ({ nouns, count: values.filter((one) => one.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ nouns: [one, several], count }) => `${count} ${count === 1 ? one : several}`)
  const [were, them] = values.length === 1 ? ['was', 'it'] : ['were', 'them']
  return `${counts.join(', ')} ${were} encrypted with another secret key and cannot be read. Start with the old key in SERVICE_SECRET_KEY_PREVIOUS, or store ${them} again.`
}
