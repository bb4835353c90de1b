// Every view of the directory portal, in each language and theme, with axe-core and at 320 px; and the way through
// Okta, counted in clicks.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { assertAccessible, createLink, part } from './portal-support.mjs'

const VIEWS = ['setup', 'users', 'roles', 'log', 'sign-in', 'settings']
const LANGUAGES = ['en', 'de', 'fr', 'ja']
const THEMES = [
  { colorScheme: 'light', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'active' },
]

export async function testPortalViews(page, { url, password, axe, passed }) {
  const errors = []
  page.on('pageerror', (error) => errors.push(String(error)))
  let clicks = 0
  const press = async (locator) => {
    clicks += 1
    await locator.click()
  }
  await page.goto(await createLink({ url, password }, { tenant: 'views', tenantName: 'Views' }))
  await press(part(page, 'continue'))
  await press(part(page, 'provider', '[data-value=okta]'))
  const secret = await part(page, 'secret').textContent()
  const address = await part(page, 'address').textContent()
  const scim = async (method, path, body) => {
    const response = await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  await press(part(page, 'copy', '[data-for=address]'))
  await press(part(page, 'copy', '[data-for=secret]'))
  await press(part(page, 'stored'))
  await scim('GET', '/Users?startIndex=1&count=2')
  const ada = await scim('POST', '/Users', { userName: 'ada@corp.example', displayName: 'Ada' })
  await part(page, 'waiting', '[data-state=connected]').waitFor()
  assert.ok(clicks <= 8, `${clicks} clicks`)
  passed(`DP-23 Okta: from the link to the first user in ${clicks} clicks`)

  await scim('POST', '/Users', { userName: 'ada@corp.example' })
  await scim('POST', '/Users', { userName: 'no address', shoe: 1 })
  const name = `${'A long name of a group that goes on '.repeat(20)}\u202e`
  await scim('POST', '/Groups', { displayName: name, members: [{ value: ada.id }] })
  const base = page.url().replace(/setup$/, '')
  await page.goto(`${base}sign-in`)
  await part(page, 'domain-name').fill('views.example')
  await part(page, 'add-domain').click()
  await part(page, 'txt-name').waitFor()
  const wide = []
  let checked = 0
  for (const theme of THEMES) {
    await page.emulateMedia(theme)
    for (const language of LANGUAGES) {
      await page.goto(`${base}setup`)
      await part(page, 'language').selectOption(language)
      await page.waitForFunction((lang) => document.documentElement.lang === lang, language)
      for (const view of VIEWS) {
        await showView(page, base, view)
        await assertAccessible(page, axe, `${view}, ${language}, ${JSON.stringify(theme)}`)
        checked += 1
        if (theme.forcedColors === 'none' && language === 'de')
          await look(page, `${view}-${theme.colorScheme}`)
        await page.setViewportSize({ width: 320, height: 640 })
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        if (width > 320) wide.push(`${view} in ${language}: ${width} px`)
        if (language === 'fr' && theme.colorScheme === 'light') await look(page, `${view}-narrow`)
        await page.setViewportSize({ width: 1200, height: 800 })
      }
    }
  }
  assert.deepEqual(wide, [])
  assert.deepEqual(errors, [])
  passed(
    `DP-29 axe finds nothing in ${checked} views, languages and themes; none is wider than 320 px`,
  )
}

/** A picture for people to look at, where PICTURES_PATH names a folder. */
async function look(page, name) {
  const folder = process.env.PICTURES_PATH
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** A view with what it shows once it is filled, and what opens in it. */
async function showView(page, base, view) {
  await page.goto(`${base}${view}`)
  await part(page, 'view', `[data-value=${view}][aria-current=page]`).waitFor()
  if (view === 'setup') await part(page, 'waiting', '[data-state=connected]').waitFor()
  if (view === 'users') {
    await part(page, 'user').getByRole('button').first().click()
    await part(page, 'raw').first().waitFor()
  }
  if (view === 'roles') await part(page, 'group').first().waitFor()
  if (view === 'log') await part(page, 'log-row').first().waitFor()
  if (view === 'sign-in') await part(page, 'txt-value').waitFor()
  if (view === 'settings') {
    await part(page, 'test').click()
    await part(page, 'finding').first().waitFor()
    await part(page, 'remove').click()
    await part(page, 'confirm-remove').waitFor()
  }
}
