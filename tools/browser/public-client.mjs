// A form of hono-surface, shown by the public web client of A2UI 0.9.1.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The script of the page, with the client in it. */
async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('client-page.js', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  })
  return outputFiles[0].text
}

/** Tree and data as the stream tells them to a viewer that comes now. */
async function read(url) {
  const headers = { accept: 'application/jsonl', 'a2ui-version': '0.9.1' }
  const leave = new AbortController()
  const response = await fetch(`${url}/sign-up`, { headers, signal: leave.signal })
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes('updateDataModel') && text.endsWith('\n')) break
  }
  leave.abort()
  const messages = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return {
    components: messages.flatMap(({ updateComponents }) => updateComponents?.components ?? []),
    data: messages.find(({ updateDataModel }) => updateDataModel?.path === '/').updateDataModel
      .value,
  }
}

/** The client shows the tree and the data of the stream; what its user sends is checked on the server. */
export async function testPublicClient(page, { url, passed }) {
  const script = await bundle()
  await page.route(`${url}/client.html`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><body><script type="module" src="/client.js"></script></body>',
    }),
  )
  await page.route(`${url}/client.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  )
  await page.goto(`${url}/client.html`)
  await page.getByText('Nobody yet').waitFor()
  const { data, components } = await read(url)
  const seen = await page.evaluate(() => globalThis.readSurface())
  assert.deepEqual(seen.data, data)
  const byId = (list) => list.toSorted((a, b) => a.id.localeCompare(b.id))
  assert.deepEqual(byId(seen.components), byId(components))
  passed('the public client of 0.9.1 has the tree and the data of the stream')

  await page.getByRole('textbox').fill('ida@')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.waitForFunction(
    () => globalThis.readSurface().data.result.text === 'Enter an address.',
  )
  await page.getByRole('textbox').fill('ida@example.org')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Welcome, ida@example.org').waitFor()
  assert.equal(await page.locator('body').getAttribute('data-sent'), '202')
  // The stream ends with the server, which the page would take for a failure.
  await page.goto('about:blank')
  passed('a wrong submission of the public client is refused by the server, a right one passes')
}
