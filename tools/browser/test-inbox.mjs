import assert from 'node:assert/strict'

/** Questions of builds in the console: two are asked, one is answered, one stays for the pages' checks. */
export async function testInbox(page, { passed }) {
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByText('Nothing waits for you.').waitFor()
  await page.evaluate(askTwice)
  const first = page.locator('#inbox article', { hasText: 'Send the offer to Ada?' })
  await first.waitFor()
  await page.locator('#inbox article', { hasText: 'Send the offer to Bob?' }).waitFor()
  assert.match(await first.textContent(), /asks a person · begun /)
  await first.getByRole('button', { name: 'Reject' }).click()
  await page.getByRole('status').getByText('Answered: Send the offer to Ada?').waitFor()
  await first.waitFor({ state: 'detached' })
  assert.equal(await page.locator('#inbox article').count(), 1)
  const left = await page.evaluate(async () => {
    const { access_token: token } = await (
      await fetch('/api/v1/refresh', { method: 'POST' })
    ).json()
    const headers = { authorization: `Bearer ${token}` }
    return (await (await fetch('/api/v2/workflows/pending', { headers })).json()).length
  })
  assert.equal(left, 1)
  passed('DR-90: the inbox lists what builds ask, and takes the answer')
}

/** Runs in the page: stores a flow that asks, and builds it twice. */
async function askTwice() {
  const signIn = await (await fetch('/api/v1/refresh', { method: 'POST' })).json()
  const headers = {
    authorization: `Bearer ${signIn.access_token}`,
    'content-type': 'application/json',
  }
  const all = await (await fetch('/api/v1/all', { headers })).json()
  const entry = (type) => Object.values(all).find((category) => type in category)[type]
  const node = (id, type) => ({
    id,
    type: 'genericNode',
    position: { x: 0, y: 0 },
    data: { id, type, node: entry(type) },
  })
  const edge = (id, from, to) => ({
    id,
    source: from.id,
    target: to.id,
    sourceHandle: JSON.stringify(from).replaceAll('"', 'œ'),
    targetHandle: JSON.stringify(to).replaceAll('"', 'œ'),
    data: { sourceHandle: from, targetHandle: to },
  })
  const source = (dataType, id, name) => ({ dataType, id, name, output_types: ['Message'] })
  const target = (id, fieldName) => ({ fieldName, id, inputTypes: ['Message'], type: 'str' })
  const nodes = [
    node('ChatInput-1', 'ChatInput'),
    node('HumanInput-1', 'HumanInput'),
    node('ChatOutput-1', 'ChatOutput'),
  ]
  const edges = [
    edge('e1', source('ChatInput', 'ChatInput-1', 'message'), target('HumanInput-1', 'prompt')),
    edge(
      'e2',
      source('HumanInput', 'HumanInput-1', 'branch_approve'),
      target('ChatOutput-1', 'input_value'),
    ),
  ]
  const post = async (path, body) =>
    (await fetch(`/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  const { id } = await post('/flows/', { name: 'asks a person', data: { nodes, edges } })
  for (const name of ['Ada', 'Bob'])
    await post(`/build/${id}/flow`, {
      inputs: { input_value: `Send the offer to ${name}?`, session: name },
    })
}
