import assert from 'node:assert/strict'

/** A build tells what it noticed; the page shows it beside the node, until the next run. */
export async function testRunWarnings(page, { passed }) {
  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  const flow = await page.evaluate(async () => {
    const signIn = await (await fetch('/api/v1/refresh', { method: 'POST' })).json()
    const headers = { authorization: `Bearer ${signIn.access_token}` }
    const flows = await (await fetch('/api/v1/flows/', { headers })).json()
    return flows.find(({ name }) => name === 'echo')
  })
  const { data } = structuredClone(flow)
  const input = data.nodes.find(({ data: { type } }) => type === 'ChatInput')
  const { template } = input.data.node
  Object.assign(template.sender_name, { load_from_db: true, value: 'NAME_OF_SENDER' })
  await page.getByLabel('Import a flow', { exact: true }).setInputFiles({
    name: 'warned.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ name: 'warned', data })),
  })
  await page.locator('#flow-list button[aria-current=true]', { hasText: 'warned' }).waitFor()
  assert.ok(await page.locator('#warnings').isHidden())

  // The keyboard alone: the message field has the focus, Enter runs the flow.
  await page.getByLabel('Message', { exact: true }).focus()
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
  const node = page.locator(`#graph g[data-id="${input.id}"]`)
  await node.locator('.remark[data-severity=warning]').waitFor()
  assert.match(await node.locator('.remark').textContent(), /^Variable NAME_OF_SENDER of /)
  assert.match(await node.locator('title').textContent(), /NAME_OF_SENDER .*not found$/)
  assert.equal(await page.locator('#graph .remark').count(), 1)
  const list = page.getByRole('list', { name: 'Warnings of the run' })
  await list.getByText(/^Chat Input: Variable NAME_OF_SENDER of /).waitFor()
  await page.locator('#status', { hasText: 'Done' }).waitFor()
  passed('a warning of a run stands beside its node and in a list')

  await page.getByRole('link', { name: 'Traces of your runs' }).click()
  await page
    .getByRole('button', { name: /^Show the nodes of warned/ })
    .first()
    .click()
  await page
    .locator('#traces')
    .getByText(/NAME_OF_SENDER/)
    .waitFor()
  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  passed('FE-19: the trace of a build has its warnings')

  await page.locator('#flow-list button', { hasText: 'echo' }).click()
  await list.waitFor({ state: 'hidden' })
  assert.equal(await page.locator('#graph .remark').count(), 0)
}
