import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refusalsOf } from '../../examples/reference-server/src/refusals.ts'
import { inFolder, runToEnd, startServer } from '../server/start-server.ts'

const [OLD, NEW] = ['old', 'new'].map((name) => `${name}-secret-key-of-at-least-32-characters`)
const PASSWORD = 'a-long-password-for-tests'

async function variablesOf(url: string, key: string): Promise<unknown[]> {
  const response = await fetch(`${url}/api/v1/variables/`, { headers: { 'x-api-key': key } })
  return ((await response.json()) as { name: string; value: unknown }[]).map((one) => one.value)
}

describe('the secret key', () => {
  test('J6 HO-52 HO-55 is changed on a running installation, and nothing is lost', () =>
    inFolder(async (folder) => {
      const fixed = { SERVICE_CONFIG_DIR: folder, SERVICE_SUPERUSER_PASSWORD: PASSWORD }
      const first = await startServer({ ...fixed, SERVICE_SECRET_KEY: String(OLD) })
      const signIn = await fetch(`${first.url}/api/v1/login`, {
        method: 'POST',
        body: new URLSearchParams({ username: 'admin', password: PASSWORD }),
      })
      const { access_token: token } = (await signIn.json()) as { access_token: string }
      const post = async (path: string, body: object) => {
        const response = await fetch(`${first.url}/api/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        return (await response.json()) as { api_key: string }
      }
      const { api_key: key } = await post('/api_key/', { name: 'k' })
      await post('/variables/', { name: 'OWN', value: 'kept', type: 'Generic', default_fields: [] })
      await first.end('SIGTERM')

      const both = {
        ...fixed,
        SERVICE_SECRET_KEY: String(NEW),
        SERVICE_SECRET_KEY_PREVIOUS: String(OLD),
      }
      const second = await startServer(both)
      expect(await variablesOf(second.url, key)).toEqual(['kept'])
      const whoAmI = await fetch(`${second.url}/api/v1/users/whoami`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(whoAmI.status).toBe(200)
      expect(await runToEnd(both, ['--reencrypt'])).toEqual({
        code: 0,
        stdout: 'Re-encrypted 1 values, 0 left, 0 unreadable\n',
        stderr: '',
      })
      expect(await variablesOf(second.url, key)).toEqual(['kept'])
      await second.end('SIGTERM')

      const third = await startServer({ ...fixed, SERVICE_SECRET_KEY: String(NEW) })
      expect(await variablesOf(third.url, key)).toEqual(['kept'])
      expect(third.output()).not.toContain('another secret key')
      await third.end('SIGTERM')

      // HO-53: with a key that opens nothing the server says so.
      const lost = { ...fixed, SERVICE_SECRET_KEY: String(OLD) }
      const fourth = await startServer(lost)
      const sentence = '1 variable was encrypted with another secret key and cannot be read.'
      await expect.poll(() => fourth.output()).toContain(sentence)
      await expect.poll(() => fourth.output()).toContain('"action":"secrets.unreadable"')
      const ended = await runToEnd(lost, ['--reencrypt'])
      expect([ended.code, ended.stdout]).toEqual([
        1,
        'Re-encrypted 0 values, 0 left, 1 unreadable (variable OWN of admin)\n',
      ])
      await fourth.end('SIGTERM')
    }))

  test('HO-56 --check exits with 1 for what would refuse the start, and with --public for what is missing', () =>
    inFolder(async (folder) => {
      const SERVICE_CONFIG_DIR = join(folder, 'config')
      const refused = (environment: Record<string, string>) =>
        refusalsOf({ SERVICE_CONFIG_DIR, ...environment })
      expect(refused({})).toEqual([])
      expect(refused({ SERVICE_SECRET_KEY: 'short' }).join()).toMatch(
        /^SERVICE_SECRET_KEY must have at least 32 characters/,
      )
      expect(refused({ SERVICE_SECRET_KEY_PREVIOUS: 'short' }).join()).toMatch(
        /^SERVICE_SECRET_KEY_PREVIOUS must have at most 3 keys/,
      )
      expect(refused({ PORT: 'x' })).toEqual([
        'PORT must be an integer from 0 to 65535, but is "x"',
      ])
      expect(refused({ SCIM_ENABLED: 'true' }).join()).toMatch(/^SCIM_TOKEN is required/)
      const open = await runToEnd({ SERVICE_CONFIG_DIR }, ['--check', '--public'])
      expect(open.code).toBe(1)
      expect(open.stdout).toMatch(/^error: SERVICE_PUBLIC_URL +missing/m)
    }))

  test('HO-57 the welcome text is the last thing that the first start prints', () =>
    inFolder(async (folder) => {
      const server = await startServer({ SERVICE_CONFIG_DIR: folder })
      const lines = server.output().trimEnd().split('\n')
      expect(lines.at(-1)).toMatch(/^ {2}open http/)
      const audit = lines.findIndex((line) => line.includes('"message":"audit"'))
      expect(audit).toBeGreaterThanOrEqual(0)
      expect(audit).toBeLessThan(lines.findIndex((line) => line.startsWith('Listening on')))
      const curl = lines.findIndex(
        (line) => line.includes('curl -X POST') && line.includes('/run/echo'),
      )
      expect(lines[curl + 1]).toBe('  Look for "You said: hello" in the answer.')
      await server.end('SIGTERM')
    }))
})
