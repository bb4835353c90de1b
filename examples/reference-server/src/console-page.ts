import { readFile } from 'node:fs/promises'
import { bundleScript } from 'surface-viewer/bundle'

const folder = new URL('../console/', import.meta.url)

const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'self'; img-src 'self' data: https:; style-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The files of the console page; its script is bundled on first request. */
const FILES: ReadonlyMap<string, readonly [type: string, load: () => Promise<string>]> = new Map([
  ['/', ['text/html; charset=utf-8', () => read('index.html')]],
  ['/console.css', ['text/css; charset=utf-8', () => read('console.css')]],
  [
    '/console.js',
    ['text/javascript; charset=utf-8', () => bundleScript(new URL('console.ts', folder))],
  ],
])

const read = (name: string): Promise<string> => readFile(new URL(name, folder), 'utf8')

/** Serves the console page at `home`; null for every other path. */
export async function consolePage(
  request: Request,
  path: string,
  home: '/' | '/console' = '/',
): Promise<Response | null> {
  const file = path === home ? FILES.get('/') : path === '/' ? undefined : FILES.get(path)
  if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return null
  const [type, load] = file
  return new Response(await load(), { headers: { ...HEADERS, 'content-type': type } })
}
