import assert from 'node:assert/strict'

/**
 * The unmodified editor of the reference, served by the reference server: what a person does in it.
 */
export async function testEditor({ context, url, password, picture, passed }) {
  // Its scripts report a missing sign-in as an error; fonts of other sites are not needed.
  const page = await context.newPage()
  const failures = []
  await confine(page, url, failures)
  try {
    await signIn(page, url, password)
    await page.getByText('echo').first().click()
    await page.getByTestId('button_run_chat output').waitFor()
    const flowId = /\/flow\/([0-9a-f-]+)/.exec(page.url())?.[1] ?? ''

    await page.getByTestId('playground-btn-flow-io').click()
    await page.locator('input[type=file]').last().setInputFiles({
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: picture,
    })
    await say(page, 'hello editor')
    await page.waitForFunction(() =>
      [...document.querySelectorAll('img')].some(
        (image) => image.src.includes('/files/images/') && image.naturalWidth > 0,
      ),
    )
    passed('the editor of the reference signs in and chats with an image in its playground')
    await page.keyboard.press('Escape')
    await page.getByTestId('input-chat-playground').waitFor({ state: 'hidden' })

    await page.getByTestId('canvas_controls_dropdown').click()
    await page.getByTestId('fit_view').click()
    await page.keyboard.press('Escape')
    const built = page.waitForRequest((request) =>
      /\/build\/[^/]+\/flow\?.*stop_component_id=Prompt/.test(decodeURIComponent(request.url())),
    )
    await page.getByTestId('button_run_prompt template').click()
    await built
    await page.getByText('built successfully').first().waitFor()
    passed('a single node is run from its button')

    await page.getByTestId('title-Prompt Template').click()
    await page.getByTestId('more-options-modal').click()
    await page.getByText('Freeze', { exact: true }).click()
    await page.getByText('Freeze', { exact: true }).waitFor({ state: 'hidden' })
    const events = page.waitForResponse((response) => /\/build\/[^/]+\/events/.test(response.url()))
    await page.getByTestId('button_run_prompt template').click()
    assert.match(await (await events).text(), /"used_frozen_result": ?true/)
    passed('a node is frozen from its toolbar and keeps its result')

    await page.getByTestId('publish-button').click()
    await page.getByTestId('api-access-item').click()
    // Each word of the code is in a separate element.
    await page.waitForFunction((id) => {
      const shown = document.querySelector('[role=dialog]')?.textContent ?? ''
      return shown.includes('x-api-key') && new RegExp(`/api/v1/run/(${id}|echo)`).test(shown)
    }, flowId)
    passed('the API dialog shows the address of the flow')
    await page.keyboard.press('Escape')

    await page.getByTestId('publish-button').click()
    const shared = savedAs(page, flowId, (flow) => flow.access_type === 'PUBLIC')
    await page.getByTestId('publish-switch').click()
    await shared
    const playground = await context.newPage()
    try {
      await confine(playground, url, failures)
      await playground.goto(`${url}/playground/${flowId}/`)
      await say(playground, 'hello from its page')
    } finally {
      await playground.close()
    }
    passed('a flow is shared, and is chatted with on the page of its own')

    await page.evaluate(() => localStorage.clear())
    await context.clearCookies()
    await chatAsStranger(await context.newPage(), { url, flowId, failures })
    passed('a stranger without an account chats on that page')

    await signIn(page, url, password)
    await visitPages(page, url, failures)
    passed('every page of the editor loads, and nothing that it asks for is refused')
    await placeComponents(page, url)
    passed('components of each kind are found by their names and placed on an empty flow')
    assert.deepEqual(failures, [])
  } finally {
    await page.close()
  }
}

async function signIn(page, url, password) {
  await page.goto(`${url}/`)
  await page.getByPlaceholder('Username').fill('admin')
  await page.getByPlaceholder('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('echo').first().waitFor()
}

/** What a page of the editor shows once it has its data. */
const PAGES = {
  '/all': 'New Flow',
  '/mcp': 'MCP Server',
  '/settings/general': 'Profile Picture',
  '/settings/global-variables': 'Global Variables',
  '/settings/api-keys': 'API Keys',
  '/settings/mcp-servers': 'Add MCP Server',
  '/settings/shortcuts': 'Keyboard Shortcut',
  '/settings/messages': 'Messages',
  '/assets/files': 'Files',
  '/admin': 'New User',
}

async function visitPages(page, url, failures) {
  const note = (response) => {
    // The editor asks on each page whether a sign-in is needed, and takes the refusal as its answer.
    if (response.status() >= 400 && !response.url().endsWith('/auto_login'))
      failures.push(`${response.status()} ${response.url()}`)
  }
  page.on('response', note)
  for (const [path, text] of Object.entries(PAGES)) {
    await page.goto(url + path)
    await page.getByText(text).first().waitFor()
    await page.waitForLoadState('networkidle')
  }
  page.off('response', note)
}

const COMPONENTS = ['Agent', 'API Request', 'If-Else', 'Loop', 'MCP Tools', 'OpenAI', 'Run Flow']

async function placeComponents(page, url) {
  await page.goto(`${url}/all`)
  await page.getByRole('button', { name: /New Flow/ }).click()
  await page.getByTestId('blank-flow').click()
  for (const [at, name] of COMPONENTS.entries()) {
    await page.getByTestId('sidebar-search-input').fill(name)
    const id = `add-component-button-${name.toLowerCase().replaceAll(' ', '-')}`
    await page.getByTestId(id).first().click({ force: true })
    await page.locator('.react-flow__node').nth(at).waitFor()
  }
}

/** Two turns on the page of a public flow, without a sign-in; nothing that is asked for is refused. */
async function chatAsStranger(page, { url, flowId, failures }) {
  await confine(page, url, failures)
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`)
  })
  try {
    await page.goto(`${url}/playground/${flowId}/`)
    await say(page, 'hello from nobody')
    await say(page, 'and once more', 2)
  } finally {
    await page.close()
  }
}

/** Resolves once the editor has stored the flow so. */
function savedAs(page, flowId, isSo) {
  return page.waitForResponse(async (response) => {
    const isSave = response.request().method() === 'PATCH' && response.status() === 200
    return isSave && response.url().includes(`/flows/${flowId}`) && isSo(await response.json())
  })
}

/** Sends a message in a playground and waits for the answer, that of this turn. */
async function say(page, text, turn = 1) {
  await page.getByTestId('input-chat-playground').fill(text)
  await page.getByTestId('button-send').click()
  const answers = page.locator('[data-testid^="chat-message-"]', { hasText: 'You said:' })
  await answers.nth(turn - 1).waitFor()
}

/** Keeps the page on this server; answers of 500 and above are failures. */
async function confine(page, url, failures) {
  page.setDefaultTimeout(20_000)
  await page.route(
    (address) => !address.href.startsWith(url),
    (route) => route.abort(),
  )
  page.on('response', (response) => {
    if (response.status() >= 500) failures.push(`${response.status()} ${response.url()}`)
  })
}
