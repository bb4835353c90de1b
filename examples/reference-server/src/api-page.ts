import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Requests without their own key use the session of the user signed in to the console. */
const START = `function asSignedIn(request) {
  const token = /(?:^|; )access_token_lf=([^;]+)/.exec(document.cookie)?.[1]
  const names = Object.keys(request.headers).map((name) => name.toLowerCase())
  const isOwn = new URL(request.url, location.href).origin === location.origin
  if (token && isOwn && !names.includes('authorization') && !names.includes('x-api-key'))
    request.headers.Authorization = 'Bearer ' + token
  return request
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  requestInterceptor: asSignedIn,
})
`

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <main id="api"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

/** The page loads no external resources and connects only to this server. */
const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const fromLibrary = (name: string): Promise<string> => {
  const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
  return readFile(join(manifest, '..', name), 'utf8')
}

const FILES: ReadonlyMap<string, readonly [type: string, load: () => Promise<string>]> = new Map([
  ['/docs', ['text/html; charset=utf-8', () => Promise.resolve(PAGE)]],
  ['/docs/start.js', ['text/javascript; charset=utf-8', () => Promise.resolve(START)]],
  ['/docs/swagger-ui.css', ['text/css; charset=utf-8', () => fromLibrary('swagger-ui.css')]],
  [
    '/docs/swagger-ui-bundle.js',
    ['text/javascript; charset=utf-8', () => fromLibrary('swagger-ui-bundle.js')],
  ],
])

/** File contents, each read once, because the page is public. */
const texts = new Map<string, Promise<string>>()

function textOf(path: string, load: () => Promise<string>): Promise<string> {
  const known = texts.get(path)
  if (known !== undefined) return known
  const text = load()
  texts.set(path, text)
  text.catch(() => texts.delete(path))
  return text
}

/**
 * Serves the API reference: each operation with its schemas, and a form to call it with a key or the
 * console's session. Null for every other path.
 */
export async function apiPage(request: Request, path: string): Promise<Response | null> {
  const file = FILES.get(path)
  if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return null
  const [type, load] = file
  return new Response(await textOf(path, load), { headers: { ...HEADERS, 'content-type': type } })
}
