import type { CodeLanguage, CodeRunner } from '../define/services.ts'
import { languageOf } from './code-language.ts'

const TYPESCRIPT: ReadonlySet<CodeLanguage> = new Set(['typescript'])

/** Combines runners: source goes to the first one that supports its language. */
export function createCodeRunners(runners: readonly CodeRunner[]): CodeRunner {
  const runnerOf = (code: string): CodeRunner | undefined => {
    const language = languageOf(code)
    return runners.find((runner) => languagesOf(runner).has(language))
  }
  return {
    languages: new Set(runners.flatMap((runner) => [...languagesOf(runner)])),
    async load(code, options) {
      const runner = runnerOf(code)
      if (runner !== undefined) return runner.load(code, options)
      throw new TypeError('No code runner is configured for this language')
    },
    missing: (code) => runnerOf(code)?.missing?.(code),
  }
}

/** Returns the languages that a runner supports. */
export function languagesOf(runner: Pick<CodeRunner, 'languages'>): ReadonlySet<CodeLanguage> {
  return runner.languages ?? TYPESCRIPT
}
