// What the tests of the directory portal share.
import assert from 'node:assert/strict'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']

/** A link of the superuser. */
export async function createLink({ url, password }, more = {}) {
  const login = await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password }),
  })
  const { access_token: token } = await login.json()
  const made = await fetch(`${url}/api/v1/scim/portal/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tenant: 'corp', tenantName: 'Corp', actor: 'mira', ...more }),
  })
  return (await made.json()).url
}

/** What axe-core finds in the view as it is. */
export async function assertAccessible(page, axe, view) {
  if (axe === undefined) return
  await page.evaluate(axe)
  const { violations } = await page.evaluate(
    (values) => globalThis.axe.run(document, { runOnly: { type: 'tag', values } }),
    RULES,
  )
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  assert.deepEqual(found, [], view)
}

export const part = (page, name, more = '') => page.locator(`[data-part="${name}"]${more}`)
