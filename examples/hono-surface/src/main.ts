import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { honoHandler } from '@x/http-adapters/hono'
import { bundleScript } from 'surface-viewer/bundle'
import { createPollSurface } from './poll-surface.ts'
import { createSignUpSurface } from './sign-up-surface.ts'

const PORT = Number(process.env['PORT'] ?? 3000)

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>A poll</title>
    <script type="module" src="/page.js"></script>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 34rem; }
    </style>
  </head>
  <body>
    <surface-viewer surface="poll" stream="/surface" events="/surface"></surface-viewer>
  </body>
</html>
`

const app = new Hono()
app.get('/', (c) => c.html(PAGE))
app.get('/page.js', async (c) => {
  const script = await bundleScript(new URL('../browser/page.ts', import.meta.url))
  return c.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8' })
})
app.all('/surface', honoHandler(createPollSurface()))
app.all('/sign-up', honoHandler(createSignUpSurface()))

serve({ fetch: app.fetch, port: PORT, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`Listening on http://127.0.0.1:${port}`)
})
