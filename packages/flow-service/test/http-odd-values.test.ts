import { expect, test } from 'vitest'
import { createUserCalls } from '@x/test-kit'

const NOBODY = '00000000-0000-4000-8000-000000000001'

test('a lone surrogate is refused with its location, and nothing is stored', async () => {
  const { call, engine } = await createUserCalls()
  for (const path of ['/api/v1/flows/', '/api/v1/projects/', '/api/v1/api_key/']) {
    const { status, body } = await call('POST', path, { name: 'a \ud800' })
    expect([path, status, body]).toMatchObject([
      path,
      422,
      { detail: [{ type: 'string_unicode', loc: ['body', 'name'], input: 'a \ud800' }] },
    ])
  }
  const whole = await call('POST', '/api/v1/flows/', { name: '🚀', data: { nodes: [], edges: [] } })
  expect(whole).toMatchObject({ status: 201, body: { name: '🚀' } })
  expect((await call('GET', '/api/v1/flows/')).body).toHaveLength(1)
  await engine.close()
})

test('numbers other than 0 and 1 are refused as booleans, fractions as a wrong type', async () => {
  const { call, engine } = await createUserCalls()
  const typeOf = async (locked: number): Promise<unknown> => {
    const { body } = await call('POST', '/api/v1/flows/', { name: 'f', locked })
    return (body as { detail?: { type: string }[] }).detail?.[0]?.type
  }
  expect(await Promise.all([1, 2, -1, 1.5, 1e19].map(typeOf))).toEqual([
    undefined,
    'bool_parsing',
    'bool_parsing',
    'bool_type',
    'bool_type',
  ])
  await engine.close()
})

test('a JSON body that is not UTF-8 is refused instead of repaired', async () => {
  const { request, engine } = await createUserCalls()
  const body = new Uint8Array([...new TextEncoder().encode('{"name":"'), 0xff, 0x22, 0x7d])
  const headers = { 'content-type': 'application/json' }
  expect(await request('POST', '/api/v1/flows/', { headers, body })).toMatchObject({
    status: 400,
    body: { detail: 'The body is not valid UTF-8' },
  })
  await engine.close()
})

test('a malformed multipart body is refused with 400', async () => {
  const { request, engine } = await createUserCalls()
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=abc']) {
    for (const path of ['/api/v2/files', '/api/v1/flows/upload/', '/api/v1/login']) {
      const sent = { headers: { 'content-type': type }, body: 'no form' }
      expect([path, type, await request('POST', path, sent)]).toMatchObject([
        path,
        type,
        { status: 400, body: { detail: 'The form cannot be read' } },
      ])
    }
  }
  await engine.close()
})

test('an invalid parameter and a missing file are reported together', async () => {
  const { request, engine } = await createUserCalls({ settings: { deprecatedUpload: true } })
  const form = new FormData()
  form.set('other', 'x')
  const missing = { type: 'missing', loc: ['body', 'file'], input: null }
  for (const [path, loc] of [
    ['/api/v2/files?append=maybe', ['query', 'append']],
    ['/api/v1/flows/upload/?folder_id=x', ['query', 'folder_id']],
    ['/api/v1/upload/x', ['path', 'flow_id']],
  ] as const) {
    const { status, body } = await request('POST', path, { body: form })
    expect([path, status, body]).toMatchObject([path, 422, { detail: [{ loc }, missing] }])
  }
  const file = new FormData()
  file.set('file', new File(['x'], 'x.txt'))
  const { body } = await request('POST', '/api/v2/files?append=maybe', { body: file })
  expect(body).toMatchObject({ detail: [{ loc: ['query', 'append'] }] })
  expect((body as { detail: unknown[] }).detail).toHaveLength(1)
  await engine.close()
})

test('resetting another user’s password is refused before an empty password is', async () => {
  const { call, record, engine } = await createUserCalls()
  const reset = (id: string, body: object) =>
    call('PATCH', `/api/v1/users/${id}/reset-password`, body)
  for (const body of [{}, { password: '' }, { password: null }]) {
    expect(await reset(NOBODY, body)).toMatchObject({
      status: 400,
      body: { detail: "You can't change another user's password" },
    })
  }
  expect(await reset(NOBODY, { username: 5 })).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'string_type', loc: ['body', 'username'] }] },
  })
  expect(await reset(record.id, {})).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'missing', loc: ['body', 'password'], input: {} }] },
  })
  expect((await reset(record.id, { password: 'another-1' })).status).toBe(200)
  await engine.close()
})

test('a download header has one form of an ASCII file name and two forms of any other', async () => {
  const { request, engine } = await createUserCalls()
  const disposition = async (name: string): Promise<string | null> => {
    const form = new FormData()
    form.set('file', new File(['x'], name))
    const { body } = await request('POST', '/api/v2/files', { body: form })
    const { headers } = await request('GET', `/api/v2/files/${(body as { id: string }).id}`)
    return headers.get('content-disposition')
  }
  expect(await disposition('A b.txt')).toBe('attachment; filename="A b.txt"')
  expect(await disposition('ü.txt')).toBe(
    `attachment; filename="_.txt"; filename*=UTF-8''%C3%BC.txt`,
  )
  await engine.close()
})
