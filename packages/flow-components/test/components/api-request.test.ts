import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { apiRequest } from '@x/flow-components'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch, textAnswer } from '@x/test-kit'

async function request(inputs: object, ...answers: Parameters<typeof scriptedFetch>) {
  const network = scriptedFetch(...answers)
  const services = { ...createMemoryServices(), fetch: network.fetch }
  const { value } = await testComponent(apiRequest, {
    inputs: { url_input: 'https://host.example/a', headers: [], ...inputs },
    services,
  })
  return { data: (value as Data).data, requests: network.requests, services }
}
const redirect = (location: string, status = 302): Response =>
  new Response(null, { status, headers: { location } })

describe('APIRequest (CO-52)', () => {
  test('every status is a result, and JSON is parsed', async () => {
    const { data } = await request({}, jsonAnswer({ error: 'x' }, { status: 503 }))
    expect(data).toEqual({
      source: 'https://host.example/a',
      status_code: 503,
      response_headers: { 'content-type': 'application/json' },
      result: { error: 'x' },
    })
  })

  test('text and binary content are bytes, text is encoded as UTF-8', async () => {
    const latin = new Response(Uint8Array.of(0xe4), {
      headers: { 'content-type': 'text/plain; charset=iso-8859-1' },
    })
    expect((await request({}, latin)).data.result).toEqual(new TextEncoder().encode('ä'))
    const binary = textAnswer('{"a": 1}', 'application/octet-stream')
    expect((await request({}, binary)).data.result).toEqual(new TextEncoder().encode('{"a": 1}'))
  })

  test('a GET has no body, other methods send JSON', async () => {
    const body = [{ key: 'n', value: '5' }]
    expect((await request({ body }, jsonAnswer(1))).requests[0]?.body).toBeUndefined()
    const { requests } = await request({ body, method: 'delete' }, jsonAnswer(1))
    expect(requests[0]).toMatchObject({ method: 'DELETE', body: { n: 5 } })
    expect((await request({ method: 'POST' }, jsonAnswer(1))).requests[0]?.body).toEqual({})
  })

  test('query parameters come from data or a string', async () => {
    const params = createData({ q: 'x y' })
    const { requests } = await request({ query_params: params }, jsonAnswer(1))
    expect(requests[0]?.url).toBe('https://host.example/a?q=x+y')
  })

  test('a lost connection is a result with status 500', async () => {
    const headers = [{ key: 'X-A', value: 'b' }]
    const { data } = await request({ headers }, new Error('reset'))
    expect(data).toEqual({
      source: 'https://host.example/a',
      headers: { 'X-A': 'b' },
      status_code: 500,
      error: 'reset',
    })
  })

  test('an invalid request is an error', async () => {
    await expect(request({ url_input: ' ' })).rejects.toThrow('URL cannot be empty')
    await expect(request({ method: 'HEAD' })).rejects.toThrow('Unsupported method: HEAD')
    await expect(request({ body: 'text' })).rejects.toThrow('body')
  })

  test('the sent headers are included on request', async () => {
    const inputs = { headers: [{ key: 'X-A', value: 'b' }], include_httpx_metadata: true }
    expect((await request(inputs, jsonAnswer(1))).data.headers).toEqual({ 'X-A': 'b' })
  })

  test('a file keeps the content; its name is never used as a path', async () => {
    const answer = new Response('abc', {
      headers: { 'content-disposition': 'attachment; filename="../../etc/passwd"' },
    })
    const { data, services } = await request({ save_to_file: true }, answer)
    expect(data).not.toHaveProperty('result')
    expect(data.file_path).toMatch(/^[\w.-]+_etc_passwd$/)
    const bytes = await services.files.read(String(data.file_path), { flowId: 'f' })
    expect(new TextDecoder().decode(bytes ?? undefined)).toBe('abc')
  })

  test('CO-52: a body is sent as JSON, unless a header sets another content type', async () => {
    const body = [{ key: 'n', value: '5' }]
    const typeSent = async (headers: object[]) => {
      const { requests } = await request({ method: 'POST', body, headers }, jsonAnswer(1))
      return requests[0]?.headers['content-type']
    }
    expect(await typeSent([])).toBe('application/json')
    const own = { key: 'content-type', value: 'application/vnd.api+json' }
    expect(await typeSent([own])).toBe('application/vnd.api+json')
  })

  test('CO-52: a request that takes longer than its timeout is a result with status 500', async () => {
    const runtime = createTestRuntime()
    const asking = testComponent(apiRequest, {
      inputs: { url_input: 'https://host.example/a', timeout: 5 },
      runtime,
      services: {
        fetch: (_url, init) =>
          new Promise((_resolve, reject) => {
            init?.signal?.addEventListener('abort', () => reject(new Error('given up')))
          }),
      },
    })
    await runtime.advance(5000)
    const { data } = (await asking).value as Data
    expect(data).toMatchObject({ source: 'https://host.example/a', status_code: 500 })
  })

  test('CO-52: without a file store saving is refused before the request is sent', async () => {
    const { fetch, requests } = scriptedFetch(jsonAnswer(1))
    const inputs = { url_input: 'https://host.example/a', save_to_file: true }
    await expect(testComponent(apiRequest, { inputs, services: { fetch } })).rejects.toThrow(
      'Save to File needs a file store',
    )
    expect(requests).toEqual([])
  })
})

describe('APIRequest redirects (CO-52)', () => {
  test('are results unless following is enabled', async () => {
    const { data, requests } = await request({}, redirect('/b'))
    expect(data.status_code).toBe(302)
    expect(requests).toHaveLength(1)
  })

  test('are recorded; a POST becomes a GET without body', async () => {
    const inputs = { method: 'POST', follow_redirects: true, body: [{ key: 'a', value: '1' }] }
    const { data, requests } = await request(inputs, redirect('/b', 303), jsonAnswer('end'))
    expect(data).toMatchObject({
      result: 'end',
      redirection_history: [{ url: '/b', status_code: 303 }],
    })
    expect(requests[1]).toMatchObject({ method: 'GET', url: 'https://host.example/b' })
    expect(requests[1]?.body).toBeUndefined()
  })

  test('307 keeps method and body', async () => {
    const inputs = { method: 'PUT', follow_redirects: true, body: [{ key: 'a', value: '1' }] }
    const { requests } = await request(inputs, redirect('/b', 307), jsonAnswer(1))
    expect(requests[1]).toMatchObject({ method: 'PUT', body: { a: 1 } })
  })

  test('do not send credentials to another host', async () => {
    const inputs = {
      follow_redirects: true,
      headers: [{ key: 'Authorization', value: 'Bearer s' }],
    }
    const { requests } = await request(inputs, redirect('https://other.example/'), jsonAnswer(1))
    expect(requests[0]?.headers).toHaveProperty('authorization')
    expect(requests[1]?.headers).not.toHaveProperty('authorization')
  })

  test('stop after twenty', async () => {
    const answers = Array.from({ length: 30 }, () => redirect('/again'))
    const { data, requests } = await request({ follow_redirects: true }, ...answers)
    expect(data).toMatchObject({ status_code: 500, error: 'more than 20 redirects' })
    expect(requests).toHaveLength(21)
  })
})

describe('APIRequest in cURL mode (CO-52)', () => {
  const command = `curl https://host.example/c -H 'X-A: b' -d '{"n": 1, "t": "x", "o": {"k": null}}'`

  test('typing the command fills the fields', async () => {
    const node = createNode(apiRequest, { values: { mode: 'cURL' } })
    const { template } = (
      await refreshNode(apiRequest, node, { field: 'curl_input', value: command })
    ).data.node
    expect(template.url_input?.value).toBe('https://host.example/c')
    expect(template.method?.value).toBe('POST')
    expect(template.headers?.value).toEqual([{ key: 'X-A', value: 'b' }])
    expect(template.body?.value).toEqual([
      { key: 'n', value: '1' },
      { key: 't', value: 'x' },
      { key: 'o', value: '{"k":null}' },
    ])
  })

  test('an invalid command does not prevent a change of mode', async () => {
    const node = createNode(apiRequest, { values: { curl_input: 'nonsense' } })
    const change = { field: 'mode', value: 'cURL' }
    const { template } = (await refreshNode(apiRequest, node, change)).data.node
    expect(template.curl_input).toMatchObject({ show: true, advanced: false })
    expect(template.url_input?.advanced).toBe(true)
    const typed = { field: 'curl_input', value: 'nonsense' }
    const inMode = createNode(apiRequest, { values: { mode: 'cURL' } })
    await expect(refreshNode(apiRequest, inMode, typed)).rejects.toThrow('Error parsing curl: ')
  })

  test('a command runs even if its fields were never filled', async () => {
    const inputs = { mode: 'cURL', curl_input: command, url_input: '' }
    const { requests } = await request(inputs, jsonAnswer(1))
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: 'https://host.example/c',
      body: { n: 1, t: 'x', o: { k: null } },
    })
  })
})
