import { readFileSync } from 'node:fs'
import { readScimSettings } from '@x/scim-core'
import { CYCLES, verifyScim } from '@x/scim-verify'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../src/command.ts'
import { BASE, faults, serve, TOKEN, verify, type Serve } from './verify-run.ts'

const LISTED = '[{"id":"a","displayName":"A"},{"id":"b","displayName":"B"}]'

test.each([
  ['rfc', {}],
  ['entra,entra-gallery,okta,okta-entitlements,onelogin,ping', {}],
  [
    'okta-entitlements',
    readScimSettings({ SCIM_ROLES: LISTED, SCIM_ENTITLEMENTS: LISTED }).options,
  ],
  ['google', { deleteUser: 'tombstone' }],
  ['jumpcloud', { recreate: 'name' }],
] as const)('SF-36 SF-57 our server passes %s', async (profiles, options) => {
  const report = await verify(serve(options), profiles)
  expect(faults(report)).toEqual([])
  expect(faults(report, 'warning')).toEqual([])
  expect(report.left).toEqual([])
})

test('SF-56 the profiles have their checks, each with an id of its own', () => {
  const least = {
    rfc: 60,
    entra: 25,
    'entra-gallery': 25,
    okta: 20,
    'okta-entitlements': 4,
    onelogin: 8,
    google: 6,
    jumpcloud: 6,
    ping: 4,
  }
  for (const [name, count] of Object.entries(least))
    expect(CYCLES.get(name)?.steps.length).toBeGreaterThanOrEqual(count)
  const ids = [...CYCLES.values()].flatMap(({ steps }) => steps.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})

test('SF-50 the package stands alone, and reaches only the server that it verifies', async () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as Readonly<Record<string, object | undefined>>
  expect(manifest['dependencies'] ?? manifest['peerDependencies']).toBeUndefined()
  const server = serve()
  const hosts = new Set<string>()
  await verify((request) => {
    hosts.add(new URL(request.url).origin)
    return server(request)
  }, 'rfc,entra-gallery')
  expect([...hosts]).toEqual([new URL(BASE).origin])
})

describe('SF-52 levels', () => {
  const server = serve()
  const changed = async (answer: Response, change: object): Promise<Response> => {
    const body = { ...((await answer.json()) as object), ...change }
    return new Response(JSON.stringify(body), answer)
  }

  test('what ServiceProviderConfig does not support is skipped, with the reason', async () => {
    const report = await verify(async (request) => {
      const answer = await server(request)
      const isConfig = request.url.includes('/ServiceProviderConfig')
      return isConfig ? changed(answer, { sort: { supported: false } }) : answer
    }, 'rfc')
    expect(faults(report, 'skipped')).toContain('RFC-PAGE-FIRST: the server does not support sort')
    expect(faults(report)).toEqual([])
  })

  test('a recommended check that fails is a warning; 204 after PATCH is right', async () => {
    const report = await verify(async (request) => {
      const answer = await server(request)
      if (request.method === 'PATCH' && answer.ok) return new Response(null, { status: 204 })
      const isUser = request.method === 'GET' && /Users\/[^?]+$/.test(request.url) && answer.ok
      return isUser ? changed(answer, { groups: undefined, extra: 1 }) : answer
    }, 'rfc,entra')
    expect(faults(report)).toEqual([])
    expect(faults(report, 'warning')).toEqual([expect.stringMatching(/^RFC-USER-GROUPS: /)])
  })

  test('SF-36 what only Entra can do is listed', async () => {
    const skipped = faults(await verify(serve(), 'entra-gallery'), 'skipped')
    expect(skipped).toHaveLength(16)
    expect(skipped[0]).toContain('GALLERY-1: needs Entra')
  })
})

test('SF-36 a token must live for one to six hours', async () => {
  const gallery = (expires_in: number) =>
    verifyScim({
      url: BASE,
      cycles: [...CYCLES.values()].filter(({ name }) => name === 'entra-gallery'),
      isChosen: ({ id }) => id === 'GALLERY-21',
      client: { tokenUrl: 'https://host.example/token', clientId: 'c', secret: 's' },
      fetch: async (input, init) => {
        const request = new Request(input, init)
        if (!request.url.endsWith('/token')) return open(request)
        expect(Object.fromEntries(new URLSearchParams(await request.text()))).toEqual({
          grant_type: 'client_credentials',
          client_id: 'c',
          client_secret: 's',
        })
        return Response.json({ access_token: 't', token_type: 'Bearer', expires_in })
      },
      headers: { authorization: `Bearer ${TOKEN}` },
      perSecond: Infinity,
    })
  const open = serve()
  expect(faults(await gallery(3_600), 'passed')).toHaveLength(1)
  expect(faults(await gallery(60))).toEqual([
    'GALLERY-21: /expires_in: expected a number from 3600 to 21600, but it is 60',
  ])
})

test('SF-53 what was there before stays byte for byte, and what was made is gone', async () => {
  const server = serve({ deleteUser: 'remove' })
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' }
  const send = async (method: string, path: string, body?: object): Promise<string> => {
    const content = body && { body: JSON.stringify(body) }
    return (await server(new Request(BASE + path, { method, headers, ...content }))).text()
  }
  const user = await send('POST', '/Users', { userName: 'ada@x-scim.example' })
  const { id } = JSON.parse(user) as { readonly id: string }
  await send('POST', '/Groups', { displayName: 'x-scim', members: [{ value: id }] })
  const state = async () => [await send('GET', '/Users'), await send('GET', '/Groups')]
  const before = await state()
  const report = await verify(server, 'entra,okta,onelogin')
  expect(faults(report)).toEqual([])
  expect(await state()).toEqual(before)
})

describe('SF-51 SF-54 the command', () => {
  const open = serve()
  const run = async (
    words: string,
    { server = open, env = {} }: { server?: Serve; env?: Record<string, string> } = {},
  ) => {
    const lines: string[] = []
    const files = new Map<string, string>()
    const code = await runCommand(words.split(' '), {
      env,
      print: (line) => lines.push(line),
      readFile: async (path) => files.get(path) ?? Promise.reject(new Error(`no ${path}`)),
      writeFile: async (path, text) => void files.set(path, text),
      fetch: (input, init) => server(new Request(input, init)),
    })
    return { code, text: lines.join('\n'), last: lines.at(-1), files }
  }
  const answers =
    (status: number, body: string, headers: Record<string, string> = {}): Serve =>
    async () =>
      new Response(body, { status, headers })

  test('0: every required check passes', async () => {
    const { code, last, files } = await run(
      `verify ${BASE} --token ${TOKEN} --rate 9999 --profile okta --junit j.xml --json j.json`,
    )
    expect([code, last]).toEqual([0, 'x-scim: 21 passed, 0 failed, 0 skipped, 0 warnings'])
    expect(files.get('j.xml')).toContain(
      '<testsuite name="okta" tests="21" failures="0" skipped="0"',
    )
    expect(files.get('j.xml')).toContain('<testcase classname="scim.okta" name="OKTA-CREATE ')
    expect(JSON.parse(files.get('j.json') ?? '')).toMatchObject({
      url: BASE,
      checks: expect.arrayContaining([
        {
          id: 'OKTA-CREATE',
          profile: 'okta',
          level: 'required',
          title: 'the user is created',
          result: 'passed',
        },
      ]) as object[],
    })
  })

  test('1: a required check fails; no credentials are shown, also when the server repeats them', async () => {
    const echo: Serve = async (request) => {
      const answer = await open(request.clone())
      if (request.method !== 'POST') return answer
      const detail = `${request.headers.get('authorization')} & <b>\u0000\u001b[31m`
      return Response.json({ detail }, { status: 400 })
    }
    const { code, text, files } = await run(
      `verify ${BASE} --token-env T --rate 9999 --junit j.xml --json j.json`,
      { server: echo, env: { T: TOKEN } },
    )
    expect(code).toBe(1)
    expect(text).toContain('RFC-CREATE ')
    expect(text).toContain('expected status 201, but it is 400 (Bearer *** & <b>')
    expect(text).toContain('request: POST /Users {"schemas":')
    const xml = files.get('j.xml') ?? ''
    expect(xml).toContain('&amp; &lt;b&gt;')
    for (const shown of [text, xml, files.get('j.json')]) expect(shown).not.toContain(TOKEN)
    // oxlint-disable-next-line no-control-regex
    for (const shown of [text, xml]) expect(shown).not.toMatch(/[\u0000\u001b]/)
  })

  test.each([
    ['the server refuses the credentials with 401', answers(401, '{}')],
    ['redirects to https://login.example', answers(302, '', { location: 'https://login.example' })],
    ['HTML page (status 200)', answers(200, '<p>', { 'content-type': 'text/html' })],
    ['not a SCIM server', answers(200, '[]')],
    ['more than 10 MiB', answers(200, 'x'.repeat(10 * 1024 * 1024 + 1))],
    ['cannot be reached', () => Promise.reject(new TypeError('refused'))],
  ])('2: %s', async (reason, server) => {
    const { code, text } = await run(`verify ${BASE} --token ${TOKEN} --rate 9999`, { server })
    expect([code, text.toLowerCase()]).toEqual([2, expect.stringContaining(reason.toLowerCase())])
  })

  test('2: a server that never answers', async () => {
    const silent: Serve = (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error))
      })
    const { code, text } = await run(`verify ${BASE} --timeout 0.01`, { server: silent })
    expect([code, text]).toEqual([2, expect.stringContaining('no answer within 0.01 s')])
  })

  test.each([
    ['verify', 'give the base URL'],
    ['verify ftp://x', 'give the base URL'],
    [`verify ${BASE} --profile acme`, 'there is no profile acme'],
    [`verify ${BASE} --token-env NONE`, 'the variable NONE is not set'],
    [`verify ${BASE} --nothing`, "'--nothing'"],
    [`verify ${BASE} --rate 0`, '--rate must be a positive number'],
    [`verify ${BASE} --cycle none.json`, 'no none.json'],
  ])('2: %s', async (words, reason) => {
    const { code, text } = await run(words)
    expect([code, text]).toEqual([2, expect.stringContaining(reason)])
  })

  test('3: what could not be removed is named', async () => {
    const keeps: Serve = async (request) =>
      request.method === 'DELETE' ? new Response('', { status: 500 }) : open(request)
    const { code, text } = await run(
      `verify ${BASE} --token ${TOKEN} --rate 9999 --profile okta --only OKTA-CREATE`,
      { server: keeps },
    )
    expect([code, text]).toEqual([3, expect.stringMatching(/left behind: \/Users\/[\w-]+/)])
  })

  test('--list prints the checks without a request', async () => {
    const { code, text } = await run('verify --list --profile google')
    expect(code).toBe(0)
    expect(text).toMatch(/required\s+GOOGLE-GONE\s+a deleted user is 404/)
  })

  test('SF-55 a recording of your own', async () => {
    const cycle = {
      name: 'mine',
      source: 'a log',
      steps: [
        {
          id: 'MINE-1',
          level: 'required',
          title: 'a user',
          request: {
            method: 'POST',
            path: '/Users',
            body: { userName: 'x-scim-{{run}}-1@{{domain}}' },
          },
          expect: { status: [201], body: { contains: { active: true }, absent: ['title'] } },
          save: { user: '/id' },
        },
        {
          id: 'MINE-2',
          level: 'required',
          title: 'the same user',
          request: { method: 'GET', path: '/Users/{{user}}' },
          expect: { status: [200], body: { equals: { id: '{{user}}' } } },
        },
      ],
    }
    const lines: string[] = []
    const code = await runCommand(
      `verify ${BASE} --token ${TOKEN} --rate 9999 --cycle c.json`.split(' '),
      {
        env: {},
        print: (line) => lines.push(line),
        readFile: async () => JSON.stringify(cycle),
        writeFile: async () => undefined,
        fetch: (input, init) => open(new Request(input, init)),
      },
    )
    expect(code).toBe(1)
    expect(lines.at(-1)).toBe('x-scim: 1 passed, 1 failed, 0 skipped, 0 warnings')
  })
})
