import assert from 'node:assert/strict'

/** The page of traces lists what has been run, shows the nodes of one, and replays it on its flow. */
export async function testTraces(page, { passed }) {
  await page.getByRole('link', { name: 'Traces', exact: true }).click()
  const list = page.getByRole('table', { name: 'Your builds and runs' })
  await list.waitFor()
  await list
    .getByRole('button', { name: /^Show the nodes of / })
    .last()
    .click()
  const nodes = page.getByRole('table', { name: 'Nodes of the run' })
  await nodes.waitFor()
  assert.ok((await nodes.getByRole('row').count()) > 1)
  passed('OP-5: the page of traces lists builds and runs, and shows the nodes of one')

  await list
    .getByRole('button', { name: /^Replay echo/ })
    .last()
    .click()
  await page.locator('#status', { hasText: /^Replay of .* succeeded · 3 nodes/ }).waitFor()
  await page.locator('#chat li', { hasText: 'You said: hello' }).waitFor()
  await page.locator('#chat li[data-sender=User]', { hasText: 'hello' }).waitFor()
  const states = await page
    .locator('#graph g')
    .evaluateAll((all) => all.map((g) => g.dataset.state))
  assert.deepEqual(states, ['done', 'done', 'done'])
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'hello')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('#status', { hasText: 'Done · 3 nodes' }).waitFor()
  passed('a past run is replayed on the graph of its flow, and its input is sent again')

  await page.getByRole('link', { name: 'Traces', exact: true }).click()
  await list
    .getByRole('button', { name: /^Replay fails/ })
    .last()
    .click()
  await page.locator('#status', { hasText: /^Replay of .* failed/ }).waitFor()
  await page.locator('#graph g[data-state=failed]').waitFor({ state: 'attached' })
  await page.locator('#graph .remark', { hasText: 'OpenAI API key is required' }).waitFor()
  passed('the replay of a failed run shows its error beside the node')
}
