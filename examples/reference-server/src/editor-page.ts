import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { SettingsError } from './settings/read-settings.ts'

/** Serves the files of a single-page editor; null for all other paths. */
export type EditorPage = (request: Request, path: string) => Promise<Response | null>

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json'],
  ['.map', 'application/json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.webp', 'image/webp'],
  ['.gif', 'image/gif'],
  ['.ico', 'image/x-icon'],
  ['.woff', 'font/woff'],
  ['.woff2', 'font/woff2'],
  ['.ttf', 'font/ttf'],
  ['.wasm', 'application/wasm'],
  ['.txt', 'text/plain; charset=utf-8'],
])

/** Paths of the server itself, which are never editor pages. */
const SERVER = /^\/(?:api|surfaces|health|health_check|docs|openapi\.json|console)(?:[/.]|$)/
/** Build tools put a content hash into the names of these files. */
const HASHED = /^\/assets\/.*-[\w-]{8,}\.\w+$/

/**
 * Serves a built single-page editor: its files, and its index for client-side routes. Only files present at
 * start are served, which rules out path traversal.
 * @throws SettingsError if the folder has no index.html
 */
export async function createEditorPage(folder: string): Promise<EditorPage> {
  const files = await listFiles(folder)
  if (!files.has('/index.html'))
    throw new SettingsError(`SERVICE_FRONTEND_PATH: ${folder} has no index.html`)

  return async (request, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    const name = SERVER.test(path) ? null : nameOf(files, request, path)
    const file = name === null ? undefined : files.get(name)
    if (name === null || file === undefined) return null
    return new Response(await readFile(file), {
      headers: {
        'content-type': TYPES.get(extname(name)) ?? 'application/octet-stream',
        'cache-control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
        'content-security-policy': "frame-ancestors 'self'",
        'x-content-type-options': 'nosniff',
      },
    })
  }
}

/** The file for a path: the file itself, or the index for page navigations. */
function nameOf(files: ReadonlyMap<string, string>, request: Request, path: string): string | null {
  if (files.has(path)) return path
  const opensPage = request.headers.get('accept')?.includes('text/html') === true
  return path === '/' || (opensPage && extname(path) === '') ? '/index.html' : null
}

/** Regular files below a folder, by their path on the server. Symbolic links are skipped. */
async function listFiles(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      const reason = error instanceof Error && 'code' in error ? error.code : error
      throw new SettingsError(
        `SERVICE_FRONTEND_PATH: the folder ${folder} cannot be read (${String(reason)}). It must contain the index.html of a built editor`,
      )
    },
  )
  const files = new Map<string, string>()
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    files.set(file.slice(join(folder).replace(/[/\\]$/, '').length).replaceAll('\\', '/'), file)
  }
  return files
}
