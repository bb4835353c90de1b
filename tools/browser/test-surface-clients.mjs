// The public renderers, as the guides of the clients use them: their code blocks are the pages.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** The pages of a guide, each a block of `js` or `jsx` in its order. */
async function pagesOf(name) {
  const text = await readFile(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8')
  const blocks = text.matchAll(/^```jsx? not run: the test in a browser opens it\n([^]*?)^```$/gm)
  return Array.from(blocks, ([, code]) => code)
}

async function bundle(contents, resolveDir) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, loader: 'jsx' },
    bundle: true,
    write: false,
    outdir: folder,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.woff2': 'empty', '.woff': 'empty', '.ttf': 'empty' },
    logLevel: 'error',
  })
  return outputFiles.find(({ path }) => path.endsWith('.js')).text
}

/** Opens a page of a guide at a server's address; `errors` are those of its scripts. */
async function open(context, url, code, packages = folder) {
  const script = await bundle(code, packages)
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const errors = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    // The film and the song of the surface are at an address that nobody answers.
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      errors.push(message.text())
  })
  const serve = (contentType, body) => (route) => route.fulfill({ contentType, body })
  const html =
    '<!doctype html><meta charset="utf-8"><body><script type="module" src="/client.js"></script>'
  await page.route(`${url}/client.html`, serve('text/html', html))
  await page.route(`${url}/client.js`, serve('text/javascript', script))
  await page.route('https://**', (route) => route.abort())
  await page.goto(`${url}/client.html`)
  return { page, errors }
}

const TEXTS = ['Every type', 'Within a card', 'First row', 'Second row', 'Within a tab', 'Open']

/** All types, typing, choosing, sending, and a change while the connection is cut. */
async function useForm({ page, errors }, url) {
  for (const text of TEXTS) await page.getByText(text, { exact: true }).first().waitFor()
  await page.locator('video').waitFor({ state: 'attached' })
  await page.locator('audio').waitFor({ state: 'attached' })
  await page.locator('img').first().waitFor({ state: 'attached' })
  await page.locator('input[type=range]').waitFor({ state: 'attached' })
  // Not every client ties its labels to its inputs.
  const name = page.getByRole('textbox').first()
  await name.fill('Ada *Byron*')
  await page.getByRole('checkbox').first().check()
  const select = page.locator('select')
  const list = page.getByText('Select items')
  if ((await list.count()) > 0) await list.click()
  if ((await select.count()) > 0) await select.selectOption('coffee')
  else await page.getByText('Coffee', { exact: true }).first().click()
  await page.getByText('Send', { exact: true }).click()
  await page.getByText(/^Ada \*Byron\*, true, (tea\+)?coffee$/).waitFor()
  await name.fill('still here')
  await fetch(`${url}/away`, { method: 'POST' })
  await page.getByText('Changed while you were away', { exact: true }).waitFor()
  assert.equal(await name.inputValue(), 'still here')
  assert.deepEqual(errors, [])
}

export async function testSurfaceClients(context, { url, passed }) {
  const [lit, lit08] = await pagesOf('surfaces-lit')
  const [react, react08] = await pagesOf('surfaces-react')
  const clients = { 'Lit 0.9': lit, 'React 0.9': react, 'Lit 0.8': lit08, 'React 0.8': react08 }
  for (const [name, code] of Object.entries(clients)) {
    const opened = await open(context, url, code)
    await useForm(opened, url)
    if (name === 'React 0.9') {
      await opened.page.getByRole('button', { name: '2 stars' }).click()
      await opened.page.getByRole('button', { name: '3 stars' }).waitFor()
    }
    await opened.page.close()
    passed(`SX-58 ${name} shows every type, sends, and catches up after it was cut off`)
  }
}

/** The page of the guide for CopilotKit, whose many packages are installed for it alone. */
export async function testCopilotKit(context, { url, passed }) {
  const [code] = await pagesOf('surfaces-copilotkit')
  const { page, errors } = await open(context, url, code, join(folder, 'copilotkit'))
  const ask = async () => {
    await page.getByRole('textbox').last().fill('A card, please')
    await page.keyboard.press('Enter')
  }
  await ask()
  await page.getByText('4 stars').waitFor()
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('button', { name: 'Greet' }).click()
  await page.getByText('Hello Ada').waitFor()
  assert.equal(await page.getByLabel('Your name').inputValue(), 'Ada')
  assert.equal(await page.getByText('4 stars').count(), 1)
  await page.reload()
  await ask()
  await page.getByText('4 stars').waitFor()
  assert.deepEqual(errors, [])
  await page.close()
  passed(
    'SX-58 CopilotKit shows a card with an own type, and the answer to its click in the same card',
  )
}
