import { loadLibrary } from './load-library.ts'

/**
 * better-sqlite3, or libsql if better-sqlite3 is absent or cannot run: the binaries of version 13 require
 * Node-API 10 (Node 22.14) and crash older processes.
 */
export function sqliteDriverName(): 'better-sqlite3' | 'libsql' {
  return runs('better-sqlite3') ? 'better-sqlite3' : 'libsql'
}

function runs(name: string): boolean {
  try {
    const { version } = loadLibrary(`${name}/package.json`) as { version: string }
    return Number.parseInt(version, 10) < 13 || Number(process.versions.napi) >= 10
  } catch {
    return false
  }
}
