// The walk of an administrator through the directory portal, from the link to the first user and on to each view.
import assert from 'node:assert/strict'
import { assertAccessible, createLink, part } from './portal-support.mjs'

const SIGNS = '<img src=x onerror=alert(1)>'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'

export async function testDirectoryPortal(page, { url, password, axe, passed, picture }) {
  const host = { url, password }
  const errors = []
  let isChecking = false
  const foreign = []
  page.on('console', (message) => {
    // axe-core tries a style of its own, which the policy of the page refuses.
    if (message.type() === 'error' && !isChecking) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('dialog', (dialog) => {
    errors.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      foreign.push(request.url())
  })
  const check = async (view) => {
    isChecking = true
    await assertAccessible(page, axe, view)
    isChecking = false
  }
  let clicks = 0
  const press = async (locator) => {
    clicks += 1
    await locator.click()
  }

  await page.goto(await createLink(host))
  await check('opening')
  await press(part(page, 'continue'))
  await part(page, 'provider', '[data-value=entra]').waitFor()
  assert.doesNotMatch(page.url(), /open=/)
  await check('choice')
  await picture(page, 'portal-choice.png')
  await press(part(page, 'provider', '[data-value=entra]'))
  await part(page, 'secret').waitFor()
  await check('setup with a secret')
  await picture(page, 'portal-setup.png')
  const address = await part(page, 'address').textContent()
  const secret = await part(page, 'secret').textContent()
  assert.match(secret, /^scim_[\w-]{10}_[\w-]{43}$/)
  assert.equal(address, `${url}/api/v1/scim/v2`)
  await press(part(page, 'copy', '[data-for=address]'))
  await press(part(page, 'copy', '[data-for=secret]'))
  await press(part(page, 'stored'))
  await part(page, 'secret').waitFor({ state: 'detached' })
  const left = await page.evaluate(() => {
    const portal = document.querySelector('directory-portal')
    return [
      portal.shadowRoot.innerHTML,
      JSON.stringify(history.state),
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
      location.href,
    ].join('\n')
  })
  assert.ok(!left.includes(secret))
  passed('DP-30 the secret is gone once it is stored')

  const scim = async (method, path, body, token = secret) =>
    await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const waiting = (state) => part(page, 'waiting', `[data-state=${state}]`).waitFor()
  await waiting('waiting')
  const wrong = secret.slice(0, -3) + (secret.endsWith('AAA') ? 'BBB' : 'AAA')
  await scim('GET', '/Users', undefined, wrong)
  await part(page, 'finding', '[data-name=wrong_secret]').waitFor()
  passed('J2 a mistyped secret is told within seconds')
  await scim('GET', '/Users?filter=userName%20eq%20%22nobody%22')
  await waiting('received')
  const person = {
    schemas: [USER],
    userName: 'ada@corp.example',
    displayName: SIGNS,
    shoeSize: '38',
  }
  const ada = await (await scim('POST', '/Users', person)).json()
  await waiting('connected')
  assert.ok(clicks <= 8, `${clicks} clicks`)
  passed(`DP-23 from the link to the first user in ${clicks} clicks, without a reload`)

  await scim('POST', '/Users', { ...person, userName: 'bob@corp.example', active: false })
  await scim('POST', '/Groups', { displayName: SIGNS, members: [{ value: ada.id }] })
  await part(page, 'view', '[data-value=users]').click()
  await part(page, 'user', `[data-id="${ada.id}"]`).getByRole('button').click()
  await part(page, 'ignored', '[data-path=shoeSize]').waitFor()
  assert.match(await part(page, 'raw').textContent(), /ada@corp\.example/)
  assert.equal(await page.locator('directory-portal img').count(), 0)
  await check('users')
  await picture(page, 'portal-users.png')
  await page.goBack()
  await part(page, 'steps').waitFor()
  await page.goForward()
  await page.reload()
  await part(page, 'user', `[data-id="${ada.id}"]`).waitFor()
  await part(page, 'user-search').fill('bob')
  await part(page, 'user-search').press('Enter')
  await part(page, 'user', `[data-id="${ada.id}"]`).waitFor({ state: 'detached' })
  passed('DP-24 users are found; back, forward and reload keep the view')

  await part(page, 'view', '[data-value=log]').click()
  await part(page, 'log-row', '[data-outcome=created]').first().waitFor()
  await part(page, 'log-outcome').selectOption('wrong_secret')
  await part(page, 'log-row', '[data-outcome=created]').first().waitFor({ state: 'detached' })
  assert.equal(await part(page, 'log-row', '[data-outcome=wrong_secret]').count(), 1)
  await check('log')
  await picture(page, 'portal-log.png')
  passed('the log is filtered')

  for (const [language, word] of [
    ['de', 'Protokoll'],
    ['fr', 'Journal'],
    ['ja', '同期ログ'],
    ['en', 'Sync log'],
  ]) {
    await part(page, 'language').selectOption(language)
    await page.getByRole('heading', { level: 1, name: word }).waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.lang), language)
    await check(`log in ${language}`)
  }
  passed('DP-28 the page speaks four languages')

  await part(page, 'view', '[data-value=sign-in]').click()
  await part(page, 'domain-name').fill('Corp.invalid')
  await part(page, 'add-domain').click()
  await part(page, 'txt-name').getByText('_directory-portal.corp.invalid').waitFor()
  await check('domains')
  await part(page, 'verify').click()
  await page.getByRole('alert').filter({ hasText: 'record' }).waitFor()
  passed('DP-50 a domain shows its record, and why it is not verified')

  await part(page, 'view', '[data-value=settings]').click()
  await part(page, 'test').click()
  await part(page, 'finding', '[data-name=first_user]').waitFor()
  await check('settings')
  await picture(page, 'portal-settings.png')
  await part(page, 'pause').click()
  await part(page, 'resume').waitFor()
  assert.equal((await scim('GET', '/Users')).status, 503)
  await part(page, 'resume').click()
  await part(page, 'pause').waitFor()
  await part(page, 'rotate').click()
  await part(page, 'secret').waitFor()
  assert.notEqual(await part(page, 'secret').textContent(), secret)
  await part(page, 'view', '[data-value=settings]').click()
  await part(page, 'remove').waitFor()
  assert.equal(await part(page, 'secret').count(), 0)
  passed('a connection is paused and resumed, and its secret replaced')

  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await check('settings in dark')
  await page.setViewportSize({ width: 320, height: 640 })
  for (const view of ['setup', 'users', 'log', 'settings']) {
    await part(page, 'menu').click()
    await part(page, 'view', `[data-value=${view}]`).click()
    await part(page, 'view', `[data-value=${view}][aria-current=page]`).waitFor({
      state: 'attached',
    })
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(wide <= 320, `${view} is ${wide} px wide`)
    await check(`${view} at 320 px`)
  }
  passed('DP-29 nothing scrolls sideways at 320 px')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })

  await part(page, 'remove').click()
  await part(page, 'consequences').waitFor()
  await part(page, 'confirm-name').fill('Microsoft Entra ID')
  await page.getByRole('radio', { name: /Deactivate/ }).check()
  await part(page, 'confirm-remove').click()
  await part(page, 'provider').first().waitFor()
  assert.equal((await scim('GET', '/Users')).status, 401)
  passed('a connection is removed')

  await part(page, 'leave').click()
  await part(page, 'refused', '[data-code=unauthorized]').waitFor()
  const used = await createLink(host)
  await page.goto(used)
  await part(page, 'continue').waitFor()
  const token = new URL(used).hash.slice('#open='.length)
  await fetch(`${url}/directory/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-directory-portal': '1' },
    body: JSON.stringify({ link: token }),
  })
  await part(page, 'continue').press('Enter')
  await part(page, 'refused', '[data-code=link_used]').waitFor()
  await check('a used link')
  passed('DP-7 a used link says so')

  const policy = errors.filter((text) => !/status of 4\d\d/.test(text))
  assert.deepEqual(policy, [])
  assert.deepEqual(foreign, [])
  passed('DP-10 no error, no foreign request')
}
