import { describe, expect, test } from 'vitest'
import { createTestEngine } from '@x/test-kit'

const ask = async (
  engine: Awaited<ReturnType<typeof createTestEngine>>,
  path: string,
): Promise<[number, unknown]> => {
  const response = await engine.handler(new Request(`http://host.example${path}`))
  return [response.status, await response.json()]
}

describe('HO-30: basePath', () => {
  test('stands at the top level', async () => {
    const engine = await createTestEngine({ basePath: '/flows' })
    expect(await ask(engine, '/flows/health')).toEqual([200, { status: 'ok' }])
    expect((await ask(engine, '/flowsx/health'))[0]).toBe(404)
    const { servers } = (await ask(engine, '/flows/openapi.json'))[1] as { servers: unknown }
    expect(servers).toMatchObject([{ url: '/flows' }])
    await engine.close()
  })

  test('is the path of cookies', async () => {
    const engine = await createTestEngine({ basePath: '/flows', settings: { autoLogin: true } })
    const response = await engine.handler(new Request('http://127.0.0.1/flows/api/v1/auto_login'))
    const cookies = response.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) expect(cookie).toContain('; Path=/flows;')
    await engine.close()
  })

  test.each(['', '/'])('%j means none', async (basePath) => {
    const engine = await createTestEngine({ basePath })
    expect(await ask(engine, '/health')).toEqual([200, { status: 'ok' }])
    await engine.close()
  })

  test.each(['flows', '/flows/', 'flows/', '//flows'])(
    '%j is an option error',
    async (basePath) => {
      const message = `must begin with / and not end with /, got '${basePath}'; write '/flows'`
      const create = createTestEngine({ basePath })
      await expect(create).rejects.toThrow(`option "basePath" ${message}`)
      const set = createTestEngine({ settings: { basePath } })
      await expect(set).rejects.toThrow(`option "settings.basePath" ${message}`)
    },
  )
})

describe('HO-31: a 404 that names the option', () => {
  const SECOND = 'If the handler is mounted at'

  test.each([
    ['', '/flows/api/v1/version', '/', '/flows'],
    ['', '/a/b/c/api/v1/flows/', '/', '/a/b/c'],
    ['/other', '/flows/health', '/other', '/flows'],
    ['/flows', '/health', '/flows', '/'],
  ])('basePath %j, path %s', async (basePath, path, base, mount) => {
    const engine = await createTestEngine({ basePath })
    const detail = `The path ${path} is not below the base path "${base}" of the flow API. ${SECOND} ${mount}, pass basePath: "${mount}".`
    expect(await ask(engine, path)).toEqual([404, { detail }])
    await engine.close()
  })

  test('the second sentence needs a known route at the end', async () => {
    const engine = await createTestEngine({ basePath: '/flows' })
    const detail = 'The path /nothing/here is not below the base path "/flows" of the flow API.'
    expect(await ask(engine, '/nothing/here')).toEqual([404, { detail }])
    await engine.close()
  })

  test('an unknown route inside of the base path stays Not Found', async () => {
    const engine = await createTestEngine({ basePath: '/flows' })
    for (const path of ['/flows/nothing', '/flows/x/health', '/flows/api/v1/nothing'])
      expect(await ask(engine, path)).toEqual([404, { detail: 'Not Found' }])
    await engine.close()
  })
})
