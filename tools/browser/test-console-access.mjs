import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const PAGES = [
  'start',
  'flows',
  'inbox',
  'traces',
  'mcp',
  'keys',
  'variables',
  'directory',
  'surface',
  'metrics',
]
/** Every rule that axe has for these. */
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The console for those who read it aloud, use keys alone, have it dark, or have a narrow screen. */
export async function testConsoleAccess(page, { passed, picture }) {
  // As the debugger does: the page itself takes no scripts but its own.
  await page.evaluate(await readFile(axe, 'utf8'))
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const name of PAGES) {
      await open(page, name)
      assert.deepEqual(await violations(page), [], `${name}, ${colorScheme}`)
      if (name === 'flows') await testRemarks(page, colorScheme)
      if (colorScheme === 'dark' && name === 'start') await picture(page, 'console-dark.png')
    }
  }
  passed('axe finds nothing on any page of the console, light and dark')
  await page.emulateMedia({ colorScheme: 'light' })

  const size = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  for (const name of PAGES) {
    await open(page, name)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(wide <= 320, `${name} is ${wide} pixels wide`)
    assert.deepEqual(await violations(page), [], `${name}, 320 pixels`)
    if (name === 'flows') await testRemarks(page, '320 pixels')
    await page.evaluate(() => scrollTo(0, 0))
    if (name === 'flows') await picture(page, 'console-narrow.png')
  }
  await page.setViewportSize(size)
  passed('every page of the console fits 320 pixels')

  await open(page, 'start')
  await page.keyboard.press('Tab')
  await tabTo(page, 'Flows', 30)
  await page.keyboard.press('Enter')
  await page.locator('#flows-title:focus').waitFor()
  await tabTo(page, 'echo', 10)
  await page.keyboard.press('Enter')
  await tabTo(page, 'Message', 30)
  await page.keyboard.type('by keys alone')
  await page.keyboard.press('Enter')
  await page.locator('#chat li', { hasText: 'You said: by keys alone' }).waitFor()
  passed('a flow is chosen and run with the keyboard alone')
}

async function open(page, name) {
  await page.evaluate((hash) => (location.hash = hash), name)
  await page.locator(`#${name}:not([hidden])`).waitFor()
  // The heading is there at once, what is below it when it has been read.
  await page.waitForFunction((id) => document.getElementById(id)?.childElementCount > 1, name)
  if (name === 'surface') await page.getByRole('button', { name: 'Count' }).waitFor()
}

/** A flow with problems and one whose run has a warning, which the flow of the pictures has not. */
async function testRemarks(page, where) {
  await page.locator('#flow-list button', { hasText: 'imported' }).click()
  await page.locator('#graph .remark').first().waitFor()
  await page.locator('#warnings li').first().waitFor()
  await fits(page, `a flow with problems, ${where}`)
  await page.locator('#flow-list button', { hasText: 'warned' }).click()
  await page.locator('#warnings').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('#graph .remark[data-by=run]').waitFor()
  await page.locator('#run-warnings li').waitFor()
  await page.locator('#stop[disabled]').waitFor({ state: 'attached' })
  await fits(page, `a run with a warning, ${where}`)
  await page.locator('#flow-list button', { hasText: 'echo' }).click()
  await page.locator('#graph .remark').first().waitFor({ state: 'detached' })
}

async function fits(page, what) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(wide <= page.viewportSize().width, `${what}, is ${wide} pixels wide`)
  assert.deepEqual(await violations(page), [], what)
}

async function violations(page) {
  return await page.evaluate(async (values) => {
    const found = await globalThis.axe.run(document, { runOnly: { type: 'tag', values } })
    return found.violations.map(({ id, nodes }) => [
      id,
      nodes.map(({ html }) => html.slice(0, 200)),
    ])
  }, STANDARDS)
}

/** Presses Tab until the element of this name has the focus. */
async function tabTo(page, name, most) {
  for (let n = 0; n < most; n += 1) {
    const label = await page.evaluate(() => {
      const element = document.activeElement
      return element?.getAttribute('aria-label') ?? element?.textContent?.trim()
    })
    if (label === name) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach ${name}`)
}
