/**
 * The pages in a real browser: the console of the reference server, the surface of hono-surface, its form in
 * the public web client of A2UI 0.9.1, the pages of the guides for Lit, React and CopilotKit, and that of
 * `x-flow dev`.
 * Skips with a note where no Chromium is found (CHROMIUM_PATH names one elsewhere), else installs
 * what drives it into `tools/browser` when it is not there yet. With `--screenshots` the pictures of
 * docs/images are taken anew. With `--copilotkit` its many packages are installed, and its page is tried too. EDITOR_PATH names the folder of a built editor that the server is to
 * serve; without it that part is left out with a note. Never a part of `npm test`.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testDevPage } from './browser/test-dev-page.mjs'
import { testDirectoryPortal } from './browser/test-directory-portal.mjs'
import { testPortalViews } from './browser/test-portal-views.mjs'
import { testEditor } from './browser/test-editor.mjs'
import { testFlowCheck } from './browser/test-flow-check.mjs'
import { testInbox } from './browser/test-inbox.mjs'
import { testRunWarnings } from './browser/test-run-warnings.mjs'
import { testMetrics } from './browser/test-metrics.mjs'
import { testCopilotKit, testSurfaceClients } from './browser/test-surface-clients.mjs'
import { testTraces } from './browser/test-traces.mjs'
import { terminalPicture } from './terminal-picture.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const images = join(root, 'docs/images')
const takesPictures = process.argv.includes('--screenshots')
const withCopilotKit = process.argv.includes('--copilotkit')

/** One red pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

const browserPath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path))

if (browserPath === undefined) {
  console.log('skipped: no Chromium found (CHROMIUM_PATH names one)')
} else {
  await run()
}

/** Installs what a folder lists, unless all of these are there. */
function install(folder, needed) {
  if (!needed.every((name) => existsSync(join(folder, 'node_modules', name))))
    execFileSync('npm', ['ci', '--prefix', folder], { cwd: folder, stdio: 'inherit' })
}

/** The library that drives the browser: no part of the workspace, which would carry it for this alone. */
function loadPlaywright() {
  const folder = join(root, 'tools/browser')
  install(folder, ['playwright-core', '@a2ui/lit', '@a2ui/react', 'axe-core'])
  if (withCopilotKit) install(join(folder, 'copilotkit'), ['@copilotkit/react-core'])
  return createRequire(join(folder, 'package.json'))('playwright-core')
}

async function run() {
  const { chromium } = loadPlaywright()
  const folder = await mkdtemp(join(tmpdir(), 'browser-test-'))
  const context = await launch(chromium, join(folder, 'profile'))
  try {
    if (takesPictures) await drawDemo()
    await testConsole(await open(context), folder)
    await testPortal(context, folder)
    await testPoll(await open(context))
    await testAsking(await open(context))
    await testDevPage(await open(context), { root, passed })
    await testClients(context)
    await testBuiltEditor(context, folder)
    console.log('browser: all passed')
  } finally {
    await context.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The terminal of the README: what `npm run demo` prints. */
async function drawDemo() {
  const output = execFileSync('npm', ['run', '--silent', 'demo'], { cwd: root, encoding: 'utf8' })
  await writeFile(join(images, 'demo.svg'), terminalPicture('npm run demo', output))
}

function launch(chromium, profile) {
  return chromium.launchPersistentContext(profile, {
    executablePath: browserPath,
    viewport: { width: 1200, height: 800 },
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A page that fails the run on an error of its scripts. */
async function open(context) {
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => {
    console.error(error)
    process.exitCode = 1
  })
  return page
}

async function testConsole(page, folder) {
  const scimToken = 'a-token-for-the-browser'
  const server = await start('examples/reference-server/src/main.ts', {
    SERVICE_CONFIG_DIR: join(folder, 'data'),
    SERVICE_SUPERUSER_PASSWORD: 'a-password-for-the-browser',
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: scimToken,
    SCIM_AUDIT_LOG: join(folder, 'audit.log'),
    SERVICE_METRICS: 'true',
  })
  try {
    await page.goto(server.url)
    await page.getByLabel('User', { exact: true }).fill('admin')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    passed('a wrong password is told')

    await page.getByLabel('Password').fill('a-password-for-the-browser')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('#user', { hasText: 'admin' }).waitFor()
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    assert.equal(await page.locator('#start article').count(), 4)
    await picture(page, 'console-start.png')
    passed('signing in shows the four ways to begin')

    await page.getByRole('link', { name: 'Flows', exact: true }).click()
    await page.locator('#flow-list button', { hasText: 'echo' }).click()
    assert.ok((await page.locator('#graph g').count()) >= 3)
    passed('signing in lists the flows and draws the graph')

    await page.getByLabel('Message', { exact: true }).fill('hello')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('#chat li', { hasText: 'You said: hello' }).waitFor()
    await page.locator('#stop[disabled]').waitFor({ state: 'attached' })
    const states = await page
      .locator('#graph g')
      .evaluateAll((all) => all.map((g) => g.dataset.state))
    assert.deepEqual(new Set(states), new Set(['done']))
    assert.match(await page.locator('#events').textContent(), /end_vertex/)
    assert.match(await page.locator('#graph .note').first().textContent(), /\d (ms|seconds?|s)/)
    assert.match(
      await page.locator('#status').textContent(),
      /^Done · 3 nodes · (\d+ ms|\d+\.\d s)$/,
    )
    if (takesPictures) await drawSecondRun(page)
    passed('a run shows its messages, its events, and states and times of its nodes')

    await page.getByLabel('Attach files').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('some notes') },
    ])
    await page.locator('#attached li', { hasText: 'notes.txt' }).waitFor()
    await page.getByLabel('Message', { exact: true }).fill('with files')
    await page.getByRole('button', { name: 'Run' }).click()
    const image = page.locator('#chat li[data-sender=User] img[alt$="dot.png"]')
    await image.waitFor()
    await page.waitForFunction(() => document.querySelector('#chat img')?.naturalWidth > 0)
    await page.locator('#chat li[data-sender=User] .file', { hasText: /^notes.txt$/ }).waitFor()
    await page.locator('#chat li', { hasText: 'You said: with files' }).waitFor()
    passed('a message goes with an image, which is shown, and a file')

    await page.getByText('API', { exact: true }).last().click()
    const samples = page.locator('#samples')
    await samples.getByText(`${server.url}/api/openai/v1`, { exact: true }).waitFor()
    assert.match(await samples.textContent(), /new OpenAI\(.*model: 'echo'.*model="echo"/s)
    passed('a flow shows how programs reach it')

    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as JSON' }).click()
    const saved = await saving
    assert.equal(saved.suggestedFilename(), 'echo.json')
    assert.equal(JSON.parse(await readFile(await saved.path(), 'utf8')).data.nodes.length, 3)
    passed('a flow is exported as a file')

    await page.getByRole('link', { name: 'MCP' }).click()
    const configuration = page.locator('#mcp-configuration')
    await configuration.getByText('/api/v1/mcp/project/').first().waitFor()
    assert.match(await configuration.textContent(), /claude mcp add .* "x-api-key: <your key>"/)
    await page.getByRole('button', { name: 'Make a key' }).click()
    await configuration.getByText(/x-api-key: sk-/).waitFor()
    await page.getByLabel('Offer echo').check()
    await page.getByLabel('Name of echo as a tool').fill('say_it')
    await page.getByLabel('Description of echo').fill('Says it again.')
    await page.getByLabel('Description of echo').press('Enter')
    await page.reload()
    await page.locator('#user', { hasText: 'admin' }).waitFor()
    await page.waitForFunction(
      () => document.querySelector('[aria-label="Name of echo as a tool"]')?.value === 'say_it',
    )
    assert.ok(await page.getByLabel('Offer echo').isChecked())
    assert.match(await configuration.textContent(), /<your key>/)
    await page.getByRole('link', { name: 'Flows' }).click()
    passed('MC-110 a project shows its MCP address, its tools and what clients need')

    await page.reload()
    await page.locator('#user', { hasText: 'admin' }).waitFor()
    await page.locator('#flow-list button', { hasText: 'echo' }).waitFor()
    passed('the sign-in outlives a reload')

    await addFailingFlow(page)
    await page.reload()
    await page.locator('#flow-list button', { hasText: 'fails' }).click()
    await page.getByLabel('Message', { exact: true }).fill('go')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('#chat li[data-error=true]').waitFor()
    await page.locator('#graph g[data-state=failed]').waitFor({ state: 'attached' })
    await page.locator('#status', { hasText: 'Failed' }).waitFor()
    assert.match(
      await page.locator('#problems').textContent(),
      /^Language Model: OpenAI API key is required/,
    )
    await page.getByRole('link', { name: 'Store the key under Variables' }).waitFor()
    await page.locator('#graph .remark', { hasText: 'OpenAI API key is required' }).waitFor()
    await picture(page, 'console-failure.png')
    passed('a failure is told in the chat, at its node and in the status')
    const provision = async (path, body) => {
      const created = await fetch(`${server.url}/api/v1/scim/v2${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/scim+json', authorization: `Bearer ${scimToken}` },
        body: JSON.stringify(body),
      })
      assert.equal(created.status, 201)
      return (await created.json()).id
    }
    const ada = { userName: 'ada@example.com', displayName: 'Ada', active: true }
    const value = await provision('/Users', ada)
    await provision('/Groups', { displayName: 'Harbour team', members: [{ value }] })
    await page.getByRole('link', { name: 'Directory' }).click()
    await page
      .getByRole('table', { name: 'Users', exact: true })
      .getByText('ada@example.com')
      .waitFor()
    passed('the directory shows the users of the service to its superuser')
    await page
      .getByRole('table', { name: 'Provisioned users' })
      .getByText('ada@example.com')
      .waitFor()
    const groups = page.getByRole('table', { name: 'Provisioned groups' })
    await groups.getByRole('row', { name: 'Harbour team 1' }).waitFor()
    await picture(page, 'console-directory.png')
    passed('the directory lists provisioned users and groups without a SCIM token')

    await testFlowCheck(page, { passed, picture })
    await testRunWarnings(page, { passed })
    await testKeysAndVariables(page)
    await testInbox(page, { passed })
    await testTraces(page, { passed })
    await testMetrics(page, { passed, picture })
    await page.getByRole('link', { name: 'Surface' }).click()
    await page.getByText('Nobody has pressed the button yet').waitFor()
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByText('Pressed 1 time', { exact: true }).waitFor()
    passed('the public renderer shows the surface; pressing its button changes it')
    await picture(page, 'console-surface.png')

    const { testConsoleAccess } = await import('./browser/test-console-access.mjs')
    await testConsoleAccess(page, { passed, picture })

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    await page.reload()
    await page.getByLabel('Password').waitFor()
    passed('signing out outlives a reload too')
  } finally {
    await server.stop()
  }
}

/** The directory portal, with axe-core in each view. */
async function testPortal(context, folder) {
  const password = 'a-password-for-the-browser'
  const server = await start('examples/reference-server/src/main.ts', {
    SERVICE_CONFIG_DIR: join(folder, 'portal-data'),
    SERVICE_SUPERUSER_PASSWORD: password,
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: 'a-token-for-the-browser',
    SCIM_CONNECTIONS: 'true',
    SCIM_PORTAL: 'true',
    SCIM_PORTAL_ROLES:
      '[{"value":"admin","name":"Administrator","description":"May change billing"}]',
    SCIM_AUDIT_LOG: join(folder, 'portal-audit.log'),
  })
  const axe = await readFile(join(root, 'tools/browser/node_modules/axe-core/axe.min.js'), 'utf8')
  try {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await open(context)
    await testDirectoryPortal(page, { url: server.url, password, axe, passed, picture })
    const views = await open(context)
    await testPortalViews(views, { url: server.url, password, axe, passed })
  } finally {
    await server.stop()
  }
}

/** The first run of a process also loads code: the picture shows the second. */
async function drawSecondRun(page) {
  await page.reload()
  await page.locator('#flow-list button', { hasText: 'echo' }).click()
  await page.getByLabel('Message', { exact: true }).fill('hello')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.locator('#chat li', { hasText: 'You said: hello' }).waitFor()
  await page.locator('#status', { hasText: 'Done' }).waitFor()
  await picture(page, 'console-flows.png')
}

/** A key is made, used and revoked; a secret is stored and deleted; a conversation is read again. */
async function testKeysAndVariables(page) {
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByLabel('Name').fill('my script')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.locator('#keys [role=status] code').textContent()
  const runEcho = () =>
    page.evaluate(
      async (value) =>
        (
          await fetch('/api/v1/run/echo', {
            method: 'POST',
            headers: { 'x-api-key': value, 'content-type': 'application/json' },
            body: JSON.stringify({ input_value: 'from a script', session_id: 'of a script' }),
          })
        ).status,
      key,
    )
  assert.equal(await runEcho(), 200)
  await picture(page, 'console-keys.png')
  await page.getByRole('button', { name: 'Revoke my script' }).click()
  await page.getByRole('button', { name: 'Revoke my script' }).waitFor({ state: 'detached' })
  assert.equal(await runEcho(), 403)
  passed('a key is made, runs a flow, and is revoked')

  await page.getByRole('link', { name: 'Variables' }).click()
  await page.locator('#variables input[name=name]').fill('MY_SECRET')
  await page.locator('#variables input[name=value]').fill('a value that nobody sees')
  await page.getByRole('button', { name: 'Store as a secret' }).click()
  await page.getByRole('button', { name: 'Delete MY_SECRET' }).waitFor()
  assert.doesNotMatch(await page.content(), /a value that nobody sees/)
  await page.getByRole('button', { name: 'Delete MY_SECRET' }).click()
  await page.getByRole('button', { name: 'Delete MY_SECRET' }).waitFor({ state: 'detached' })
  passed('a secret is stored, not shown, and deleted')

  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  await page.locator('#flow-list button', { hasText: 'echo' }).click()
  await page.locator('#session option', { hasText: 'of a script' }).waitFor({ state: 'attached' })
  await page.getByLabel('Conversation').selectOption('of a script')
  await page.locator('#chat li', { hasText: 'You said: from a script' }).waitFor()
  passed('a conversation of before is read again')
}

/** A flow whose second node has to fail: its model has no key. */
async function addFailingFlow(page) {
  await page.evaluate(async () => {
    const signIn = await (await fetch('/api/v1/refresh', { method: 'POST' })).json()
    const headers = {
      authorization: `Bearer ${signIn.access_token}`,
      'content-type': 'application/json',
    }
    const get = async (path) => (await fetch(`/api/v1${path}`, { headers })).json()
    const { data } = (await get('/flows/')).find(({ name }) => name === 'echo')
    const input = data.nodes.find(({ data: { type } }) => type === 'ChatInput')
    const node = (await get('/all')).models_and_agents.LanguageModelComponent
    const model = {
      id: 'Model-1',
      type: 'genericNode',
      position: { x: 700, y: 0 },
      data: { id: 'Model-1', type: 'LanguageModelComponent', node },
    }
    const [from, to] = [
      { dataType: 'ChatInput', id: input.id, name: 'message', output_types: ['Message'] },
      { fieldName: 'input_value', id: 'Model-1', inputTypes: ['Message'], type: 'str' },
    ]
    const text = (handle) => JSON.stringify(handle).replaceAll('"', 'œ')
    const edge = {
      id: 'edge-1',
      source: input.id,
      target: 'Model-1',
      sourceHandle: text(from),
      targetHandle: text(to),
      data: { sourceHandle: from, targetHandle: to },
    }
    const flow = { name: 'fails', data: { nodes: [input, model], edges: [edge] } }
    await fetch('/api/v1/flows/', { method: 'POST', headers, body: JSON.stringify(flow) })
  })
}

async function testPoll(page) {
  const server = await start('examples/hono-surface/src/main.ts', {})
  try {
    await page.goto(server.url)
    await page.getByText('No votes yet').waitFor()
    await page.getByRole('button', { name: 'Tea' }).click()
    await page.getByText('Tea 1, coffee 0').waitFor()
    passed('the page of hono-surface votes')
    const { testPublicClient } = await import('./browser/public-client.mjs')
    await testPublicClient(page, { url: server.url, passed })
  } finally {
    await server.stop()
  }
}

/** A surface whose button runs a flow with what a person has typed. */
async function testAsking(page) {
  const server = await start('tools/flow-surface.ts', {})
  try {
    await page.goto(server.url)
    await page.getByRole('textbox').fill('Where is the harbour?')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('The flow heard: Where is the harbour?').waitFor()
    passed('an action of a surface runs a flow with what was typed')
  } finally {
    await server.stop()
  }
}

/** The public renderers with a surface of every type, and CopilotKit with an agent. */
async function testClients(context) {
  const server = await start('tools/surface-clients.ts', {})
  try {
    await testSurfaceClients(context, { url: server.url, passed })
    if (withCopilotKit) await testCopilotKit(context, { url: server.url, passed })
    else console.log('  skipped: CopilotKit (--copilotkit installs it; it runs each night)')
  } finally {
    await server.stop()
  }
}

/** The unmodified editor of the reference, where a build of it is at hand. */
async function testBuiltEditor(context, folder) {
  const editor = process.env.EDITOR_PATH ?? process.env.SERVICE_FRONTEND_PATH
  if (editor === undefined)
    return console.log('  skipped: no editor (EDITOR_PATH names its folder)')
  const password = 'a-password-for-the-browser'
  const server = await start('examples/reference-server/src/main.ts', {
    SERVICE_CONFIG_DIR: join(folder, 'editor-data'),
    SERVICE_SUPERUSER_PASSWORD: password,
    SERVICE_FRONTEND_PATH: editor,
  })
  try {
    await testEditor({ context, url: server.url, password, picture: PIXEL, passed })
  } finally {
    await server.stop()
  }
}

function start(main, environment) {
  const { PATH, HOME } = process.env
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions=@x/source', join(root, main)],
    { env: { PATH, HOME, PORT: '0', ...environment }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const url = /Listening on (\S+)/.exec(output)?.[1]
      if (url !== undefined) resolve({ url, stop })
    })
    void ended.then(() => reject(new Error(`${main} has ended: ${output}`)))
  })
}

async function picture(page, name) {
  if (!takesPictures) return
  await mkdir(images, { recursive: true })
  await page.screenshot({ path: join(images, name) })
}

function passed(sentence) {
  console.log(`  passed: ${sentence}`)
}
