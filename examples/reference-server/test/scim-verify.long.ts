import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withService } from './journeys/service.ts'

const TOKEN = 'a-static-token'
const command = fileURLToPath(new URL('../../../packages/scim-core/src/x-scim.ts', import.meta.url))

/** Runs `x-scim`; `onLine` may end it. */
async function xScim(
  parameters: readonly string[],
  onLine: (line: string, end: () => void) => void = () => undefined,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const node = ['--import', 'tsx', '--conditions=@x/source', command, ...parameters]
  const child = spawn(process.execPath, node, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SCIM_TOKEN_OF_TEST: TOKEN },
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    onLine(text, () => child.kill('SIGINT'))
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
  await withService(environment, async (service) => {
    const { code, text } = await xScim(verify(service.url, 'rfc,entra,okta,onelogin,ping'))
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

test('SF-53 an interrupted run removes what it made', async () => {
  const environment = { SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN, SCIM_DELETE_USER: 'remove' }
  await withService(environment, async ({ url }) => {
    let isEnding = false
    const { text } = await xScim(verify(url, 'rfc', '--rate', '50'), (lines, end) => {
      if (isEnding || !lines.includes('RFC-CREATE-3')) return
      isEnding = true
      end()
    })
    expect(text).not.toContain('RFC-DELETE-GROUP')
    expect(text).not.toContain('left behind')
    const listed = await fetch(`${url}/api/v1/scim/v2/Users`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    expect(await listed.json()).toMatchObject({ totalResults: 0 })
  })
})
