import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openingsOf, openingVariables } from '../src/settings/openings.ts'
import { readSettings } from '../src/settings/read-settings.ts'
import { shortcomingsOf } from '../src/settings/shortcomings.ts'
import { inFolder, runToEnd } from './start-server.ts'

const namesFor = (environment: Record<string, string>): string[] =>
  openingsOf(readSettings(environment).settings, environment).map(({ name }) => name)

test('--check lists what is open, creates nothing and exits with 0', () =>
  inFolder(async (folder) => {
    const SERVICE_CONFIG_DIR = join(folder, 'config')
    const open = { SERVICE_CONFIG_DIR, HOST: '0.0.0.0', SERVICE_DEPRECATED_UPLOAD: 'true' }
    const { code, stdout, stderr } = await runToEnd(open, ['--check'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ {2}HOST +everyone who can reach 0\.0\.0\.0/m)
    expect(stdout).toMatch(/^ {2}SERVICE_DEPRECATED_UPLOAD +anyone can store files/m)
    expect(stdout).toMatch(/^ {2}SERVICE_ACCESS_SECURE /m)
    expect(stdout).toMatch(/^ {2}public flows /m)
    expect(stdout).toMatch(
      /^Unsafe or missing for a public server \(\d+\):\n {2}SERVICE_PUBLIC_URL +missing/m,
    )
    expect(await readdir(folder)).toEqual([])

    const refused = await runToEnd({ HOST: '0.0.0.0', SERVICE_AUTO_LOGIN: 'true' }, ['--check'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^SERVICE_AUTO_LOGIN works on a loopback/)
  }))

test('the defaults on loopback list few openings', () => {
  expect(namesFor({})).toEqual([
    'HOST',
    'SERVICE_WEBHOOK_AUTH_ENABLE',
    'SERVICE_PUBLIC_BUILD_READERS',
    'SERVICE_FALLBACK_TO_ENV_VAR',
    'builds',
    'public flows',
    '/surfaces/demo',
  ])
})

test('every setting that widens access is listed', () => {
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

test('the openings reference has a row for each variable that widens access', async () => {
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

const shortFor = (environment: Record<string, string>): string[] =>
  shortcomingsOf(readSettings(environment).settings).map(({ name, opens }) => `${name}: ${opens}`)

test('OP-14 --check lists what is unsafe or missing for a public server', () =>
  inFolder(async (folder) => {
    const SERVICE_CONFIG_DIR = join(folder, 'config')
    await mkdir(SERVICE_CONFIG_DIR)
    await chmod(SERVICE_CONFIG_DIR, 0o777)
    for (const name of ['service.db', 'secret_key']) {
      await writeFile(join(SERVICE_CONFIG_DIR, name), '')
      await chmod(join(SERVICE_CONFIG_DIR, name), 0o666)
    }
    const found = shortFor({
      SERVICE_CONFIG_DIR,
      SERVICE_PUBLIC_URL: 'http://flows.example.test',
      SERVICE_AUTO_LOGIN: 'true',
      SERVICE_LOGIN_RATE_LIMIT: 'false',
      SERVICE_SECRET_KEY: 'change-me-change-me-change-me-change-me',
      SERVICE_SUPERUSER_PASSWORD: 'admin',
      SERVICE_METRICS_TOKEN: 'secret',
    })
    for (const line of [
      /^SERVICE_PUBLIC_URL: no TLS/,
      /^SERVICE_AUTO_LOGIN: everyone is the superuser/,
      /^SERVICE_WEBHOOK_AUTH_ENABLE: public webhooks/,
      /^SERVICE_LOGIN_RATE_LIMIT: /,
      /^SERVICE_SECRET_KEY: default or weak/,
      /^SERVICE_SUPERUSER_PASSWORD: default or weak/,
      /^SERVICE_METRICS_TOKEN: default or weak/,
      /^SERVICE_DATABASE_URL: SQLite/,
      /^SERVICE_CONFIG_DIR: .+ writable by others/,
      /^SERVICE_DATABASE_URL: .+service\.db is writable by others/,
      /^SERVICE_SECRET_KEY: its file is readable by others/,
    ])
      expect(found.filter((text) => line.test(text))).toHaveLength(1)
    expect(found.join()).not.toMatch(/change-me/)
  }))

test('OP-14 nothing is reported if everything is set', () => {
  expect(
    shortFor({
      SERVICE_CONFIG_DIR: '/nowhere/at/all',
      SERVICE_PUBLIC_URL: 'https://flows.example.test',
      SERVICE_TRUST_PROXY: '10.0.0.1',
      SERVICE_WEBHOOK_AUTH_ENABLE: 'true',
      SERVICE_SECRET_KEY: 'vX3k9-QmZ7Lp2Rt8Wy4Bn6Cd1Fg5Hj0Ks',
      SERVICE_DATABASE_URL: 'postgres://db.internal/flows',
    }),
  ).toEqual([])
})
