import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openingsOf, openingVariables } from '../src/settings/openings.ts'
import { readSettings } from '../src/settings/read-settings.ts'
import { inFolder, runToEnd } from './start-server.ts'

const namesFor = (environment: Record<string, string>): string[] =>
  openingsOf(readSettings(environment).settings, environment).map(({ name }) => name)

test('--check names what is open, makes nothing and ends with 0', { timeout: 60_000 }, () =>
  inFolder(async (folder) => {
    const SERVICE_CONFIG_DIR = join(folder, 'config')
    const open = { SERVICE_CONFIG_DIR, HOST: '0.0.0.0', SERVICE_DEPRECATED_UPLOAD: 'true' }
    const { code, stdout, stderr } = await runToEnd(open, ['--check'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ {2}HOST +everybody who reaches 0\.0\.0\.0/m)
    expect(stdout).toMatch(/^ {2}SERVICE_DEPRECATED_UPLOAD +anybody stores files/m)
    expect(stdout).toMatch(/^ {2}SERVICE_ACCESS_SECURE /m)
    expect(stdout).toMatch(/^ {2}public flows /m)
    expect(await readdir(folder)).toEqual([])

    const refused = await runToEnd({ HOST: '0.0.0.0', SERVICE_AUTO_LOGIN: 'true' }, ['--check'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^SERVICE_AUTO_LOGIN works on a loopback/)
  }),
)

test('the defaults on loopback open little', () => {
  expect(namesFor({})).toEqual([
    'HOST',
    'SERVICE_WEBHOOK_AUTH_ENABLE',
    'SERVICE_PUBLIC_BUILD_READERS',
    'SERVICE_FALLBACK_TO_ENV_VAR',
    'lanes of builds',
    'public flows',
    '/surfaces/demo',
  ])
})

test('each switch that opens something is named', () => {
  const names = namesFor({
    SERVICE_AUTO_LOGIN: 'true',
    SERVICE_SKIP_AUTH_AUTO_LOGIN: 'true',
    SERVICE_LOGIN_RATE_LIMIT: 'false',
    SERVICE_CORS_ORIGINS: '*',
    SERVICE_SSRF_ALLOW: '10.0.0.0/8',
    SERVICE_MCP_STDIO: 'true',
    SERVICE_MCP_STDIO_COMMANDS: 'npx',
    SERVICE_API_KEY_SOURCE: 'env',
    SERVICE_PUBLIC_URL: 'https://flows.example.test',
    SERVICE_REFRESH_SECURE: 'false',
    SCIM_ENABLED: 'true',
  })
  for (const name of [
    'SERVICE_AUTO_LOGIN',
    'SERVICE_SKIP_AUTH_AUTO_LOGIN',
    'SERVICE_LOGIN_RATE_LIMIT',
    'SERVICE_CORS_ORIGINS',
    'SERVICE_SSRF_ALLOW',
    'SERVICE_MCP_STDIO',
    'SERVICE_API_KEY_SOURCE',
    'SERVICE_REFRESH_SECURE',
    'SCIM_ALLOWED_ADDRESSES',
  ])
    expect(names).toContain(name)
  expect(names).not.toContain('SERVICE_ACCESS_SECURE')
})

test('the reference of openings has a row for each variable that opens something', async () => {
  const page = await readFile(
    new URL('../../../docs/reference/openings.md', import.meta.url),
    'utf8',
  )
  const named = new Set(
    page
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .join()
      .match(/`[A-Z_]+`/g),
  )
  expect(openingVariables.filter((name) => !named.has(`\`${name}\``))).toEqual([])
})
