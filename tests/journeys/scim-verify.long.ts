import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withService } from './service.ts'

const TOKEN = 'a-static-token'
const command = fileURLToPath(new URL('../../packages/scim-verify/src/x-scim.ts', import.meta.url))

/** Runs `x-scim`; `onLine` sees everything printed up to then. */
async function xScim(
  parameters: readonly string[],
  {
    onLine = () => undefined,
    environment = {},
  }: {
    readonly onLine?: (text: string, child: ChildProcess) => void
    readonly environment?: Readonly<Record<string, string>>
  } = {},
): Promise<{ readonly code: number | null; readonly text: string }> {
  const node = ['--import', 'tsx', '--conditions=@x/source', command, ...parameters]
  const child = spawn(process.execPath, node, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SCIM_TOKEN_OF_TEST: TOKEN, ...environment },
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    onLine(text, child)
  }
  return { code: await ended, text }
}

const verify = (url: string, profile: string, ...more: string[]): string[] => [
  'verify',
  `${url}/api/v1/scim/v2`,
  '--token-env',
  'SCIM_TOKEN_OF_TEST',
  '--profile',
  profile,
  '--rate',
  '500',
  ...more,
]

test('SF-57 the shipped server passes every profile', async () => {
  const environment = { SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN, SCIM_CURSOR: 'true' }
  const profiles = 'rfc,entra,entra-gallery,okta,okta-entitlements,onelogin,ping'
  await withService(environment, async (service) => {
    const { code, text } = await xScim(verify(service.url, profiles))
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/ passed, 0 failed, \d+ skipped, 0 warn/),
    ])
    expect(text).not.toContain(TOKEN)
    for (const provider of ['google', 'jumpcloud']) {
      await service.restart({ environment: { SCIM_PROVIDER: provider } })
      const again = await xScim(verify(service.url, provider))
      expect([again.code, again.text]).toEqual([0, expect.stringContaining('0 failed, 0 skipped')])
    }
  })
})

test('SF-36 SF-50 the gallery of Microsoft and the entitlements of Okta, with variables alone', async () => {
  const secret = 'a-client-secret-of-the-gallery-0001'
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString()
  const listed = JSON.stringify([{ id: 'a', displayName: 'A' }])
  const environment = {
    SCIM_ENABLED: 'true',
    SCIM_OAUTH_CLIENTS: JSON.stringify([{ id: 'entra', secrets: [{ secret, expiresAt }] }]),
    SCIM_ROLES: listed,
    SCIM_ENTITLEMENTS: listed,
  }
  await withService(environment, async ({ url }) => {
    const { code, text } = await xScim(
      [
        `verify ${url}/api/v1/scim/v2 --rate 500 --profile entra,entra-gallery,okta-entitlements`,
        `--client-id entra --client-secret-env SECRET --token-url ${url}/api/v1/scim/oauth/token`,
      ].flatMap((words) => words.split(' ')),
      { environment: { SECRET: secret } },
    )
    expect([code, text]).toEqual([0, expect.stringMatching(/ 0 failed, \d+ skipped, 0 warnings/)])
    expect(text).toMatch(/^ok +GALLERY-21 /m)
    expect(text).toMatch(/^ok +OKTA-ROLE-ASSIGN /m)
    expect(text).toMatch(/^skipped +GALLERY-1 .*needs Entra/m)
    expect(text).not.toContain(secret)
  })
})

test('SF-58 all profiles within a minute and 150 MiB', { timeout: 60_000 }, async () => {
  const environment = { SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN }
  await withService(environment, async ({ url }) => {
    let mib = 0
    const { text } = await xScim(verify(url, 'all', '--rate', '200'), {
      onLine: (_, child) => {
        const path = `/proc/${child.pid}/status`
        const kib = existsSync(path) && /VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1]
        mib = Number(kib || 0) / 1024
      },
    })
    // What google and jumpcloud need contradicts what the others need.
    expect(text.match(/^FAILED +\S+/gm)).toEqual([
      expect.stringContaining('GOOGLE-GONE'),
      expect.stringContaining('JUMPCLOUD-AGAIN'),
    ])
    expect(mib).toBeLessThan(150)
  })
})

test('SF-53 an interrupted run removes what it made', async () => {
  const environment = { SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN, SCIM_DELETE_USER: 'remove' }
  await withService(environment, async ({ url }) => {
    let isEnding = false
    const { text } = await xScim(verify(url, 'rfc', '--rate', '50'), {
      onLine: (lines, child) => {
        if (isEnding || !lines.includes('RFC-CREATE-3')) return
        isEnding = true
        child.kill('SIGINT')
      },
    })
    expect(text).not.toContain('RFC-DELETE-GROUP')
    expect(text).not.toContain('left behind')
    const listed = await fetch(`${url}/api/v1/scim/v2/Users`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    expect(await listed.json()).toMatchObject({ totalResults: 0 })
  })
})
