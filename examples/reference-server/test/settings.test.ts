import { fileURLToPath } from 'node:url'
import { defaultSettings } from '@x/flow-service'
import { defaultRunLimits } from '@x/flow-engine'
import { defaultLimits as defaultScimLimits } from '@x/scim-core'
import { defaultLimits } from '@x/surface-protocol'
import { queueOptions } from '../src/settings/queue-options.ts'
import { describe, expect, test } from 'vitest'
import { formatText } from '../../../tools/format-text.ts'
import {
  mcpOptions,
  openAiOptions,
  runLimits,
  surfaceLimits,
} from '../src/settings/engine-limits.ts'
import {
  helpText,
  readSettings,
  SettingsError,
  settingsPage,
} from '../src/settings/read-settings.ts'
import { scimLimits } from '../src/settings/scim-limits.ts'
import { scimVariables } from '../src/settings/scim-variables.ts'
import type { Variable } from '../src/settings/variable.ts'
import { variables } from '../src/settings/variables.ts'

describe('readSettings', () => {
  test('an empty environment gives the defaults', () => {
    const { settings, warnings } = readSettings({ PATH: '/bin' })
    expect(settings).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 7860,
      SERVICE_SUPERUSER: 'admin',
      SERVICE_AUTO_LOGIN: false,
      SERVICE_CORS_ORIGINS: undefined,
      SERVICE_TRUST_PROXY: ['false'],
    })
    expect(warnings).toEqual([])
  })

  test('an empty string counts as not set', () => {
    expect(readSettings({ PORT: ' ' }).settings.PORT).toBe(7860)
  })

  test('reads booleans in any letter case', () => {
    const read = (word: string) => readSettings({ SERVICE_STORE: word }).settings.SERVICE_STORE
    expect(['true', '1', 'Yes', 'ON'].map(read)).toEqual([true, true, true, true])
    expect(['false', '0', 'No', 'OFF'].map(read)).toEqual([false, false, false, false])
  })

  test.each([
    [{ PORT: 'many' }, 'PORT must be an integer from 0 to 65535, but is "many"'],
    [{ SERVICE_STORE: 'maybe' }, 'SERVICE_STORE must be true or false, but is "maybe"'],
    [
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL must be one of info, debug, warn, warning, error, silent, but is "loud"',
    ],
    [
      { SERVICE_PUBLIC_FLOW_EXPIRATION: '600' },
      'SERVICE_PUBLIC_FLOW_EXPIRATION must be an integer of at least 601, but is "600"',
    ],
  ])('refuses %j in one line that names the variable', (env, line) => {
    expect(() => readSettings(env)).toThrow(new SettingsError(line))
  })

  test('warns about an unknown name and suggests the nearest known one', () => {
    const { warnings } = readSettings({ SERVICE_SUPERUSER_PASWORD: 'x', SCIM_TOKN: 'x' })
    expect(warnings).toEqual([
      'SERVICE_SUPERUSER_PASWORD is unknown; did you mean SERVICE_SUPERUSER_PASSWORD?',
      'SCIM_TOKN is unknown; did you mean SCIM_TOKEN?',
    ])
  })
})

test('the help names every variable with its default', () => {
  expect(helpText()).toContain('\n  PORT (7860)\n      listen port; 0 picks a free one\n')
  expect(helpText()).toContain('\n  SCIM_ENABLED (false)\n')
  expect(helpText()).toContain('[json | pretty]')
  expect(
    Math.max(
      ...helpText()
        .split('\n')
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(80)
})

describe('OP-14 an invalid setting', () => {
  const all = Object.entries<Variable>({ ...variables, ...scimVariables })
  const refusable = all.filter(
    ([, { kind, form }]) =>
      kind === 'boolean' || kind === 'integer' || typeof kind !== 'string' || form !== undefined,
  )

  test.each(refusable)('%s: one line with its name, accepted form and value', (name) => {
    const read = () => readSettings({ [name]: 'no such: /thing/99' })
    expect(read).toThrow(SettingsError)
    expect(read).toThrow(new RegExp(`^${name} must be [^\\n]+, but is "no such: /thing/99"$`))
  })

  test('out-of-range numbers and address ranges are refused', () => {
    for (const [name, value] of [
      ['PORT', '65536'],
      ['SERVICE_SSRF_ALLOW', 'db.internal,10.0.0.0/33'],
      ['SCIM_ALLOWED_ADDRESSES', '999.1.1.1'],
      ['SERVICE_CORS_ORIGINS', 'https://app.example/path'],
      ['SERVICE_MAX_RUN_SECONDS', '0'],
    ] as const)
      expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must be `))
    const { settings } = readSettings({ SERVICE_SSRF_ALLOW: 'db.internal, 10.0.0.0/8, fd00::/8' })
    expect(settings.SERVICE_SSRF_ALLOW).toHaveLength(3)
  })
})

describe('OP-16 limits', () => {
  const limited = (env: Record<string, string> = {}) => readSettings(env).settings

  test('each number of the flow service and each limit of runs, MCP and OpenAI has a variable', () => {
    const numbers = Object.entries(defaultSettings).filter(([, value]) => typeof value === 'number')
    const missing = numbers
      .map(([key]) => `SERVICE_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`)
      .filter((name) => !(name in variables))
    expect(missing).toEqual([])
    const { textLength: _, items: __, ...ofRuns } = defaultRunLimits
    expect(runLimits(limited())).toEqual(ofRuns)
    expect(Object.keys(mcpOptions(limited())).toSorted()).toEqual([
      'anonymous',
      'callTimeoutMs',
      'maxBodyBytes',
      'maxCalls',
      'maxResourceBytes',
      'maxSseSessions',
      'maxTools',
      'sse',
    ])
    expect(openAiOptions(limited())).toEqual({ maxRuns: 256, timeoutMs: 600_000 })
  })

  test("limits are converted to the engine's units", () => {
    const given = limited({
      SERVICE_MAX_VERTEX_SECONDS: '2',
      SERVICE_MAX_VALUE_MB: '1',
      SERVICE_MCP_MAX_BODY_KIB: '2',
      SERVICE_OPENAI_TIMEOUT_SECONDS: '3',
    })
    expect(runLimits(given)).toMatchObject({ vertexTimeoutMs: 2000, valueBytes: 1_048_576 })
    expect(mcpOptions(given)).toMatchObject({ maxBodyBytes: 2048 })
    expect(openAiOptions(given)).toMatchObject({ timeoutMs: 3000 })
  })

  test('each SCIM limit has a variable with a default', () => {
    expect(scimLimits({})).toEqual(defaultScimLimits)
    expect(scimLimits({ SCIM_MAX_BODY_KIB: '2', SCIM_MAX_FILTER_TERMS: '3' })).toMatchObject({
      bodyBytes: 2048,
      filterTerms: 3,
    })
  })

  test('surfaces have limits for the store, the channel and posted bodies', () => {
    const { surfaces, totalSize } = defaultLimits
    expect(surfaceLimits(limited())).toEqual({
      store: { surfaces, totalSize },
      channel: {
        history: 1000,
        historyBytes: 67_108_864,
        highWaterMark: 64,
        slowMs: 5000,
        maxSubscribers: 10_000,
      },
      handler: { maxBodyBytes: 65_536 },
    })
  })

  test('FL-7: roles, leases and waits of a fleet', () => {
    const database = { SERVICE_DATABASE_URL: 'postgres://db/flows' }
    const withDatabase = (env: Record<string, string>) => readSettings({ ...database, ...env })
    expect(() => withDatabase({ SERVICE_ROLE: 'leader' })).toThrow(
      'SERVICE_ROLE must be all, web or worker, but is "leader"',
    )
    expect(() => readSettings({ SERVICE_ROLE: 'web' })).toThrow('SERVICE_ROLE=web needs PostgreSQL')
    expect(() => withDatabase({ SERVICE_LEASE_SECONDS: '2' })).toThrow(
      'SERVICE_LEASE_SECONDS must be an integer from 3 to 3600, but is "2"',
    )
    expect(withDatabase({ SERVICE_LEASE_SECONDS: '10' }).warnings).toEqual([
      'SERVICE_DATABASE_STATEMENT_SECONDS (10) should be less than SERVICE_LEASE_SECONDS (10)',
    ])
    expect(queueOptions(withDatabase({ SERVICE_ROLE: 'web' }).settings)).toMatchObject({
      work: false,
      leaseMs: 15_000,
    })
  })

  test('the settings page is generated from the same table as the help', async () => {
    const page = fileURLToPath(new URL('../../../docs/reference/settings.md', import.meta.url))
    // Written anew by `npx vitest run --update` of this file.
    await expect(await formatText(page, settingsPage())).toMatchFileSnapshot(page)
  })
})
