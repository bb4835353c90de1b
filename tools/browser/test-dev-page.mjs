import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Answers when a file says so, so that the page is seen while a run works. */
const CONFIG = `
import { watch, existsSync } from 'node:fs'
const opened = (path) => new Promise((resolve) => {
  if (existsSync(path)) return resolve()
  const watcher = watch('.', () => { if (existsSync(path)) { watcher.close(); resolve() } })
})
const model = {
  async *stream({ messages }) {
    const asked = String(messages.at(-1).content)
    if (asked.includes('wait')) await opened('open')
    if (asked.includes('fail')) throw new Error('No <b>answer</b>')
    yield { text: 'Heard: ' + asked }
    yield { finish: 'stop', usage: { inputTokens: 10, outputTokens: 2 } }
  },
}
export default { services: { models: { chatModel: () => model, embedder: () => model } } }
`

/** The page of `x-flow dev`: the graph with its states, values and errors, and what a person asks again. */
export async function testDevPage(page, { root, passed }) {
  const folder = await mkdtemp(join(tmpdir(), 'dev-page-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(folder, 'flows'))
  await writeFile(join(folder, 'x-flow.config.mjs'), CONFIG)
  const flow = join(folder, 'flows/support.json')
  await cp(join(root, 'examples/flows-as-code/flows/support.json'), flow)
  const command = startCommand(root, folder)
  try {
    const requested = []
    const problems = []
    page.on('request', (request) => requested.push(new URL(request.url()).origin))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    const address = await command.address
    await page.goto(address)
    await page.getByText('waits for its input').waitFor()
    assert.equal(page.url(), new URL('/', address).href)

    await page.getByLabel('Input').fill('please wait')
    await page.getByLabel('Input').press('Control+Enter')
    const model = page.locator('g[data-node^="LanguageModel"]')
    await page.locator('g[data-node^="ChatInput"][data-state="done"]').waitFor()
    assert.match(await page.getByRole('status').textContent(), /^run 1 running$/)
    await writeFile(join(folder, 'open'), '')
    await page.getByText(/^run 1 succeeded in \d+ ms, 12 tokens$/).waitFor()
    assert.match(await page.locator('#text').textContent(), /^Heard: /)
    await model.focus()
    await page.keyboard.press('Enter')
    await page.locator('#node pre', { hasText: 'Heard: ' }).waitFor()

    await page.getByLabel('Input').fill('please fail')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText(/^run 2 failed/).waitFor()
    await page.locator('#node pre', { hasText: 'No <b>answer</b>' }).waitFor()
    assert.equal(await model.getAttribute('data-state'), 'failed')
    await page.getByLabel('Runs of this session').selectOption('1')
    await page
      .getByText(/^run 1 succeeded/)
      .first()
      .waitFor()
    await page.getByLabel('Runs of this session').selectOption('2')

    const text = await readFile(flow, 'utf8')
    await writeFile(flow, text.slice(0, 100))
    await page.getByRole('alert').getByText('is not JSON').waitFor()
    await writeFile(
      flow,
      text.replaceAll('"display_name": "Chat Output"', '"display_name": "<i>Reply</i>"'),
    )
    await page.getByText(/^run 3 failed/).waitFor()
    await page.locator('svg text', { hasText: '<i>Reply</i>' }).waitFor()
    assert.ok(await page.getByRole('alert').isHidden())
    await page.setViewportSize({ width: 320, height: 640 })
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320)
    assert.deepEqual(new Set(requested), new Set([new URL(address).origin]))
    assert.deepEqual(problems, [])
    await page.reload()
    await page.getByText(/^run 3 failed/).waitFor()
    const ended = command.interrupt()
    await page.getByText('reconnecting').waitFor()
    assert.equal(await ended, 130)
    passed('FC-83: the page of x-flow dev follows runs, shows values and errors, and asks again')
  } finally {
    await command.interrupt()
    await page.setViewportSize({ width: 1280, height: 800 })
    await rm(folder, { recursive: true, force: true })
  }
}

function startCommand(root, folder) {
  const main = join(root, 'packages/flow-tools/src/main.ts')
  const tsx = join(root, 'node_modules/tsx/dist/esm/index.mjs')
  const words = ['--import', tsx, '--conditions=@x/source', main, 'dev', 'flows/support.json']
  const child = spawn(process.execPath, [...words, '--port', '0'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const address = new Promise((resolve, reject) => {
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (part) => {
      out += part
      const found = /dev: (\S+)\n/.exec(out)
      if (found !== null) resolve(found[1])
    })
    void ended.then((code) => reject(new Error(`x-flow dev ended with ${code}`)))
  })
  return {
    address,
    interrupt: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}
