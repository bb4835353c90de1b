import type { TestTagDefinition } from 'vitest/config'

/** The tags that tests may have; another one is an error. */
export const TAGS: readonly TestTagDefinition[] = [
  { name: 'long', description: 'Takes more than 1.5 s; runs with `npm run test:long`.' },
  { name: 'night', description: 'The full size of a test; runs with `NIGHT=1 npm run test:long`.' },
]
