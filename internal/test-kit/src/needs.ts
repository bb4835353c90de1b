import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { inject, type TestOptions } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The real part that a test needs and does not find: its name, and what is wrong with it. */
    missing?: { readonly name: string; readonly reason: string }
  }
  interface ProvidedContext {
    /** Why there is no PostgreSQL; empty where there is one. */
    postgresAbsent: string
  }
}

/** Programs that are looked for on the PATH. */
type Program = 'bash' | 'curl' | 'git' | 'openssl' | 'psql' | 'redis-server' | 'chromium' | 'ps'

export type Part = Program | 'postgres' | 'redis' | 'golden'

/**
 * Options of a test, or of a group of tests, that needs real parts: it is skipped where one is absent, and the end
 * of the run says which. With `REQUIRE=curl,postgres` an absent part is a failure.
 */
export function needs(...parts: readonly Part[]): TestOptions {
  for (const name of parts) {
    const reason = reasonAgainst(name)
    if (reason !== '') return { skip: true, meta: { missing: { name, reason } } }
  }
  return {}
}

function reasonAgainst(part: Part): string {
  if (part === 'postgres') return inject('postgresAbsent')
  if (part === 'redis') return (process.env['REDIS_URL'] ?? '') === '' ? 'REDIS_URL is not set' : ''
  if (part === 'golden') {
    const isThere = existsSync(new URL('../../../../shared/golden', import.meta.url))
    return isThere ? '' : 'there are no recorded answers in ../shared/golden'
  }
  return isOnPath(part) ? '' : `${part} is not on the PATH`
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      const path = join(folder, program)
      accessSync(path, constants.X_OK)
      return folder !== '' && statSync(path).isFile()
    } catch {
      return false
    }
  })
}
