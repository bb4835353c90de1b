import assert from 'node:assert/strict'

/** The page of traces lists what has been run, and shows the nodes of one. */
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
}
