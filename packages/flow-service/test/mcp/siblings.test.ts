import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mcpTools } from '@x/flow-components'
import { flowBuilder } from '@x/flow-engine/testing'
import { createService, type Service } from './mcp-service.ts'

let service: Service
beforeAll(async () => {
  service = await createService({}, { services: { fetch: () => Promise.reject(new Error('net')) } })
})
afterAll(() => service.engine.close())

/** A tool of this server that is given a text, and its rows to a chat output. */
function calling(server: string, tool: string): unknown {
  const flow = flowBuilder('calling')
  const node = flow.add(mcpTools, { values: { mcp_server: { name: server }, tool } })
  flow.connect(`${node}.response`, `${flow.add('ChatOutput')}.input_value`)
  const { data } = flow.toJSON()
  // The field that the editor makes of an argument of the tool.
  const template = data?.nodes?.find(({ id }) => id === node)?.data.node?.template
  if (template !== undefined) {
    const given = { type: 'str', name: 'input_value', value: 'told by hand', show: true }
    const chosen = { ...template['tool'], value: tool, options: [tool], show: true }
    Object.assign(template, { input_value: given, tool: chosen })
  }
  return data
}

async function run(name: string, data: unknown, key = service.key) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const given = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await service.engine.handler(new Request(`http://host${path}`, given))
    return [answer.status, await answer.text()] as const
  }
  const [, made] = await post('/api/v1/flows/', { name, data })
  const { id } = JSON.parse(made) as { id: string }
  return await post(`/api/v1/run/${id}`, { input_value: 'hi' })
}

describe('projects of the owner as servers of the MCP component', () => {
  test('MC-84 another project of the owner is called by its name, without a key or the network', async () => {
    const [status, text] = await run('near', calling('lf-tools', 'echo'))
    expect([status, text]).toEqual([200, expect.stringContaining('told by hand')])
  })

  test('MC-84 the projects of another user are not available', async () => {
    const [status, text] = await run('far', calling('lf-tools', 'echo'), service.keys.other)
    expect(status).toBe(500)
    expect(text).not.toContain('net')
  })

  test('MC-84 a tool that calls itself ends at the depth limit of nested flows', async () => {
    await service.offer('Endless', calling('lf-tools', 'endless'))
    const [status, text] = await run('start', calling('lf-tools', 'endless'))
    expect([status, text]).toEqual([200, expect.stringMatching(/deep|nested/)])
  })

  test('MC-84 the editor lists the tools of the project', async () => {
    const mcp = service.engine.services.mcpServers.connector
    const { signal } = new AbortController()
    const client = await mcp.connect(
      { name: 'lf-tools' },
      { userId: service.engine.adminId, signal },
    )
    expect((await client.listTools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['echo', 'stuck']),
    )
    await expect(client.callTool('echo', {}, { signal })).rejects.toThrow(/not found/)
  })
})
