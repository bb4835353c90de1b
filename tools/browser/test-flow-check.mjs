import assert from 'node:assert/strict'

const node = (id, type, displayName, y) => ({
  id,
  type: 'genericNode',
  position: { x: 520, y },
  data: { id, type, node: { display_name: displayName, template: {}, outputs: [] } },
})

/** A flow is imported from a file; what its check finds stands beside the nodes. */
export async function testFlowCheck(page, { passed, picture }) {
  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  await page.locator('#flow-list button', { hasText: 'echo' }).click()
  const data = await page.evaluate(async () => {
    const signIn = await (await fetch('/api/v1/refresh', { method: 'POST' })).json()
    const headers = { authorization: `Bearer ${signIn.access_token}` }
    const flows = await (await fetch('/api/v1/flows/', { headers })).json()
    return flows.find(({ name }) => name === 'echo').data
  })
  assert.ok(await page.locator('#warnings').isHidden())
  const [input] = data.nodes.filter(({ data: { type } }) => type === 'ChatInput')
  const edited = structuredClone(input)
  edited.id = edited.data.id = 'ChatInput-edited'
  edited.data.type = 'ChatInput'
  edited.position = { x: 0, y: 0 }
  edited.data.node.display_name = 'Chat Input'
  edited.data.node.edited = true
  edited.data.node.template.code = { name: 'code', type: 'code', value: 'class Mine: pass' }
  const flow = {
    name: 'imported',
    data: {
      nodes: [
        edited,
        node('YouTubeTranscripts-a', 'YouTubeTranscripts', 'YouTube Transcripts', 0),
        { ...node('Group-a', 'GroupNode', 'Group', 0), position: { x: 1040, y: 0 } },
      ],
      edges: [],
    },
  }
  // A group is shown for what it contains.
  flow.data.nodes[2].data.node.flow = {
    data: { nodes: [node('Inner-a', 'NobodyHasThis', 'Inner', 0)], edges: [] },
  }
  await page.getByLabel('Import a flow', { exact: true }).setInputFiles({
    name: 'imported.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(flow)),
  })
  await page.locator('#flow-list button[aria-current=true]', { hasText: 'imported' }).waitFor()
  const unknown = page.locator('#graph g[data-id="YouTubeTranscripts-a"]')
  await unknown.locator('.remark', { hasText: 'Unknown type YouTubeTranscripts' }).waitFor()
  assert.equal(await unknown.getAttribute('data-check'), 'error')
  const warned = page.locator('#graph g[data-id="ChatInput-edited"]')
  assert.equal(await warned.getAttribute('data-check'), 'warning')
  assert.match(await warned.locator('.remark').textContent(), /was changed in/)
  assert.match(await warned.locator('title').textContent(), /runs as ChatInput of the catalogue/)
  const group = page.locator('#graph g[data-id="Group-a"] .remark')
  assert.match(await group.textContent(), /NobodyHasThis/)
  const list = page.getByRole('list', { name: 'What the check of the flow found' })
  await list.getByText('YouTube Transcripts: Unknown type YouTubeTranscripts').waitFor()
  assert.equal(await list.getByRole('listitem').count(), 3)
  await picture(page, 'console-check.png')
  passed('an imported flow shows what its check finds, beside the nodes and as a list')

  await page.locator('#flow-list button', { hasText: 'echo' }).click()
  await list.waitFor({ state: 'hidden' })
  assert.equal(await page.locator('#graph .remark').count(), 0)
  passed('a flow without problems shows none')
}
