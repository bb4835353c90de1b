import { describe, expect, test } from 'vitest'
import { helpText, readSettings, SettingsError } from '../src/settings/read-settings.ts'

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

  test('an empty text counts as not given', () => {
    expect(readSettings({ PORT: ' ' }).settings.PORT).toBe(7860)
  })

  test('reads the words for true and false in any case', () => {
    const read = (word: string) => readSettings({ SERVICE_STORE: word }).settings.SERVICE_STORE
    expect(['true', '1', 'Yes', 'ON'].map(read)).toEqual([true, true, true, true])
    expect(['false', '0', 'No', 'OFF'].map(read)).toEqual([false, false, false, false])
  })

  test.each([
    [{ PORT: 'many' }, 'PORT must be a whole number of at least 0'],
    [{ SERVICE_STORE: 'maybe' }, 'SERVICE_STORE must be true or false'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of info, debug, warning, error, silent'],
    [
      { SERVICE_PUBLIC_FLOW_EXPIRATION: '600' },
      'SERVICE_PUBLIC_FLOW_EXPIRATION must be a whole number of at least 601',
    ],
  ])('refuses %j in one line that names the variable', (env, line) => {
    expect(() => readSettings(env)).toThrow(new SettingsError(line))
  })

  test('warns about an unknown name with the nearest known one', () => {
    const { warnings } = readSettings({ SERVICE_SUPERUSER_PASWORD: 'x', SCIM_TOKN: 'x' })
    expect(warnings).toEqual([
      'SERVICE_SUPERUSER_PASWORD is unknown; did you mean SERVICE_SUPERUSER_PASSWORD?',
      'SCIM_TOKN is unknown; did you mean SCIM_TOKEN?',
    ])
  })
})

test('the help names every variable with its default', () => {
  expect(helpText()).toMatch(/^ {2}PORT +listen port; 0 picks a free one \(7860\)$/m)
  expect(helpText()).toMatch(/^ {2}SCIM_ENABLED +/m)
})
