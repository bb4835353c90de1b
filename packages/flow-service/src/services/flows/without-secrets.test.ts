import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { withoutSecrets } from './without-secrets.ts'

const SECRET = 'sk-very-secret-0001'
const components = createRegistry(builtinComponents)

/** A graph of one node with these fields, as a stranger sees it. */
async function shownTemplate(
  template: object,
  type = 'Any',
  more: object = {},
): Promise<Record<string, never>> {
  const node = { id: 'n', data: { type, node: { template }, ...more } }
  const data = JSON.stringify({ nodes: [node], edges: [] })
  const shown = (await withoutSecrets(data, components)) ?? ''
  expect(shown).not.toContain(SECRET)
  return JSON.parse(shown).nodes[0].data.node.template
}

describe('AB-53: the graph as anonymous users see it', () => {
  test('secret fields are emptied, whichever way they are marked', async () => {
    const shown = await shownTemplate({
      a: { name: 'a', type: 'str', password: true, value: SECRET },
      b: { name: 'b', type: 'str', _input_type: 'SecretStrInput', value: SECRET },
      c: { name: 'c', type: 'str', password: false, value: 'shown' },
    })
    expect(shown).toMatchObject({ a: { value: '' }, b: { value: '' }, c: { value: 'shown' } })
  })

  test.each([
    'api_key',
    'aws_secret_access_key',
    'service_account_key',
    'apify_token',
    'DB_Password',
  ])('a field named %s is empty without a mark', async (name) => {
    const shown = await shownTemplate({ [name]: { name, type: 'str', value: SECRET } })
    expect(shown).toMatchObject({ [name]: { value: '' } })
  })

  test('a field that its component declares as a secret is empty without mark and telling name', async () => {
    const given = { name: 'pg_server_url', type: 'str', value: SECRET }
    expect(await shownTemplate({ pg_server_url: given }, 'pgvector')).toMatchObject({
      pg_server_url: { value: '' },
    })
  })

  test('the field of a group that sets a declared secret is empty, with the field inside it', async () => {
    const inner = {
      id: 'in',
      data: {
        type: 'pgvector',
        node: { template: { pg_server_url: { name: 'pg_server_url', value: SECRET } } },
      },
    }
    const group = {
      template: {
        where: { name: 'where', value: SECRET, proxy: { id: 'in', field: 'pg_server_url' } },
      },
      flow: { data: { nodes: [inner], edges: [] } },
    }
    const data = { nodes: [{ id: 'g', data: { type: 'Group', node: group } }], edges: [] }
    const shown = (await withoutSecrets(JSON.stringify(data), components)) ?? ''
    expect(shown).not.toContain(SECRET)
    expect(shown).toContain('"where":{"name":"where","value":""')
  })

  test.each(['max_tokens', 'doc_key', 'text_key', 'stop_tokens', 'key'])(
    'a field named %s keeps its value',
    async (name) => {
      const shown = await shownTemplate({ [name]: { name, type: 'str', value: 'shown' } })
      expect(shown).toMatchObject({ [name]: { value: 'shown' } })
    },
  )

  test('values of header tables and dicts are emptied, their names stay', async () => {
    const shown = await shownTemplate({
      headers: { name: 'headers', type: 'table', value: [{ key: 'authorization', value: SECRET }] },
      default_headers: { name: 'default_headers', type: 'dict', value: { 'x-api-key': SECRET } },
    })
    expect(shown).toMatchObject({
      headers: { value: [{ key: 'authorization', value: '' }] },
      default_headers: { value: { 'x-api-key': '' } },
    })
  })

  test('addresses lose credentials and query, database addresses are emptied', async () => {
    const shown = await shownTemplate({
      url: { name: 'url', type: 'str', value: `https://u:${SECRET}@h.example/p?key=${SECRET}#x` },
      urls: { name: 'urls', type: 'str', value: [`https://h.example/?t=${SECRET}`] },
      database: { name: 'database', type: 'str', value: `postgres://u:${SECRET}@h/db` },
      uri: { name: 'uri', type: 'str', value: `mongodb+srv://u:${SECRET}@h` },
      text: { name: 'text', type: 'str', value: `see http://u:${SECRET}@h.example for more` },
      curl_input: { name: 'curl_input', type: 'str', value: `curl -H 'x: ${SECRET}' h.example` },
    })
    expect(shown).toMatchObject({
      url: { value: 'https://h.example/p#x' },
      urls: { value: ['https://h.example/'] },
      database: { value: '' },
      uri: { value: '' },
      text: { value: 'see http://h.example for more' },
      curl_input: { value: '' },
    })
  })

  test('only the name of a tool server is kept', async () => {
    const config = { command: 'x', args: ['--key', SECRET], env: { K: SECRET }, url: `h/${SECRET}` }
    const shown = await shownTemplate(
      {
        mcp_server: { name: 'mcp_server', type: 'mcp', value: { name: 'mine', config } },
        env: { name: 'env', type: 'str', value: [`K=${SECRET}`] },
        command: { name: 'command', type: 'str', value: `run ${SECRET}` },
      },
      'MCPTools',
    )
    expect(shown).toMatchObject({
      mcp_server: { value: { name: 'mine' } },
      env: { value: [''] },
      command: { value: '' },
    })
  })

  test('secrets in grouped nodes and stored results are removed too', async () => {
    const inner = {
      nodes: [{ data: { node: { template: { k: { password: true, value: SECRET } } } } }],
    }
    const data = JSON.stringify({
      nodes: [
        {
          data: {
            node: { template: {}, flow: { data: inner } },
            results: { text: `the key is ${SECRET}.`, list: [{ deep: SECRET }] },
          },
        },
      ],
    })
    const shown = (await withoutSecrets(data, components)) ?? ''
    expect(shown).not.toContain(SECRET)
    expect(shown).toContain('the key is .')
  })

  test('variable names and media types are kept elsewhere in the graph', async () => {
    const shown = await shownTemplate({
      key: { name: 'key', password: true, load_from_db: true, value: 'MY_VARIABLE' },
      other: { name: 'other', value: 'MY_VARIABLE' },
      headers: { name: 'headers', value: [{ key: 'accept', value: 'application/json' }] },
      kind: { name: 'kind', value: 'application/json' },
    })
    expect(shown).toMatchObject({
      key: { value: '' },
      other: { value: 'MY_VARIABLE' },
      kind: { value: 'application/json' },
    })
  })

  test('malformed graphs pass through unchanged', async () => {
    for (const odd of ['null', '[]', '1', '{"nodes":1}', '{"nodes":[null,{"data":[]}]}'])
      expect(await withoutSecrets(odd, components)).toBe(odd)
    expect(await withoutSecrets(null, components)).toBeNull()
  })
})
