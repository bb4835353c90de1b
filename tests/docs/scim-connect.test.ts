import { readFile } from 'node:fs/promises'
import { createScimHandler } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { describe, expect, test } from 'vitest'

const GUIDE = new URL('../../docs/guides/scim-connect.md', import.meta.url)
const BASE = 'https://app.example/api/v1/scim/v2'

function createDirectory() {
  const auth = { kind: 'token' as const, token: 'a-token-for-the-guide' }
  const handle = createScimHandler({ store: createMemoryScimStore(), baseUrl: BASE, auth })
  return async (path: string, body?: string) => {
    const headers = {
      authorization: `Bearer ${auth.token}`,
      'content-type': 'application/scim+json',
    }
    const init = body === undefined ? { headers } : { headers, method: 'POST', body }
    const response = await handle(new Request(BASE + path, init))
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
}

describe('docs/guides/scim-connect.md', () => {
  test('the first request of a directory returns a list', async () => {
    const { status, body } = await createDirectory()('/Users?startIndex=1&count=1')
    expect([status, body['totalResults']]).toEqual([200, 0])
  })

  test('the template for OneLogin creates a user', async () => {
    const [, template = ''] = /```json\n([\s\S]*?)```/.exec(await readFile(GUIDE, 'utf8')) ?? []
    const values: Record<string, string> = {
      'parameters.scimusername': 'ada@corp.example',
      'user.email': 'ada@corp.example',
      'user.id': '1234',
      'user.firstname': 'Ada',
      'user.lastname': 'Lovelace',
      'user.display_name': 'Ada Lovelace',
    }
    const filled = template.replaceAll(
      /\{\$([\w.]+)\}/g,
      (whole, name: string) => values[name] ?? whole,
    )
    expect(filled).not.toContain('{$')
    const { status, body } = await createDirectory()('/Users', filled)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      userName: 'ada@corp.example',
      externalId: '1234',
      active: true,
      emails: [{ value: 'ada@corp.example', primary: true }],
    })
  })
})
