import { execFile } from 'node:child_process'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readSecretKey } from '../src/secret-key.ts'
import { createReferenceServer } from '../src/server.ts'
import { readPublicUrl, toFlowSettings } from '../src/settings/flow-settings.ts'
import { readSettings } from '../src/settings/read-settings.ts'
import { isRefusal } from '../src/settings/refusal.ts'
import { readTrustProxy } from '../src/settings/trust-proxy.ts'
import { inFolder } from '../../../tests/server/start-server.ts'

const url = 'http://127.0.0.1:7860'
const SECRET_KEY = new URL('../src/secret-key.ts', import.meta.url).href

describe('createReferenceServer', () => {
  test.each([
    [{ SERVICE_SECRET_KEY: 'short' }, 'SERVICE_SECRET_KEY must have at least 32 characters'],
    [{ SERVICE_DATABASE_URL: 'mysql://x' }, 'SERVICE_DATABASE_URL must begin with sqlite:'],
    [{ SERVICE_TRUST_PROXY: '10.0.0.0/99' }, 'SERVICE_TRUST_PROXY: 10.0.0.0/99 is neither'],
    [{ SERVICE_PUBLIC_URL: 'app.example' }, 'SERVICE_PUBLIC_URL must begin with http'],
    [{ HOST: '0.0.0.0', SERVICE_AUTO_LOGIN: 'true' }, 'SERVICE_AUTO_LOGIN works on a loopback'],
    [{ SCIM_ENABLED: 'true' }, 'SCIM_TOKEN is required'],
    [{ SCIM_AUDIT_LOG: '/nowhere/at/all' }, 'SCIM_AUDIT_LOG: ENOENT'],
    [{ SERVICE_DATABASE_URL: 'sqlite:/dev/null/service.db' }, 'EEXIST'],
    [{ SERVICE_CONFIG_DIR: '/dev/null/data' }, 'SERVICE_CONFIG_DIR: the folder /dev/null/data'],
    [
      { SERVICE_DATABASE_URL: `sqlite:${import.meta.filename}` },
      'file is not a database. Name another file',
    ],
    [{ SERVICE_FRONTEND_PATH: '/nowhere' }, 'SERVICE_FRONTEND_PATH: the folder /nowhere'],
  ])('%j is refused with an error for the operator', (environment, message) =>
    inFolder(async (SERVICE_CONFIG_DIR) => {
      const all = { SERVICE_CONFIG_DIR, ...environment }
      const { settings } = readSettings(all)
      const error: unknown = await createReferenceServer(settings, all, {
        url,
        log: () => undefined,
      }).then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(isRefusal(error)).toBe(true)
      expect(String(error)).toContain(message)
    }),
  )
})

describe('readTrustProxy', () => {
  test('true in any letter case trusts all addresses, false none', () => {
    expect([readTrustProxy(['True']), readTrustProxy(['false'])]).toEqual([true, false])
  })

  test('IPv4 and IPv6 addresses and ranges trust the addresses they contain', () => {
    const trusted = readTrustProxy(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])
    if (typeof trusted === 'boolean') throw new Error('a function is expected')
    const asked = ['10.200.1.1', '192.0.2.7', 'fd12::1', '192.0.2.8', '11.0.0.1', 'fe80::1', 'x']
    expect(asked.map(trusted)).toEqual([true, true, true, false, false, false, false])
  })

  test.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', ''])(
    'refuses %j',
    (entry) => {
      expect(() => readTrustProxy(['10.0.0.1', entry])).toThrow(/^SERVICE_TRUST_PROXY: /)
    },
  )
})

describe('toFlowSettings', () => {
  const read = (environment: Record<string, string>) =>
    toFlowSettings(readSettings(environment).settings, url)

  test('maps the variables of the flow service to its settings', () => {
    const settings = read({ SERVICE_ACCESS_TOKEN_EXPIRE_SECONDS: '60', SERVICE_STORE: 'false' })
    expect(settings).toMatchObject({ accessTokenExpireSeconds: 60, store: false, publicUrl: url })
    expect(settings).not.toHaveProperty('superuserPassword')
    expect(settings).not.toHaveProperty('secretKey')
  })

  test('AB-65 the secure cookie variables are passed to the service; unset, the service decides', () => {
    expect(read({ HOST: '0.0.0.0' })).not.toHaveProperty('refreshSecure')
    expect(read({ SERVICE_REFRESH_SECURE: 'true' }).refreshSecure).toBe(true)
    expect(read({ SERVICE_ACCESS_SECURE: 'false' }).accessSecure).toBe(false)
  })

  test('auto login on non-loopback addresses requires a separate variable', () => {
    const remote = { HOST: '0.0.0.0', SERVICE_AUTO_LOGIN: 'true' }
    expect(() => read(remote)).toThrow(/SERVICE_AUTO_LOGIN_ALLOW_REMOTE/)
    expect(read({ ...remote, SERVICE_AUTO_LOGIN_ALLOW_REMOTE: 'true' }).autoLogin).toBe(true)
  })
})

test('readPublicUrl accepts http and https URLs and removes a trailing slash', () => {
  expect(readPublicUrl('https://app.example/base/')).toBe('https://app.example/base')
  expect(readPublicUrl(undefined)).toBeUndefined()
  for (const wrong of ['app.example', 'ftp://app.example', 'https://'])
    expect(() => readPublicUrl(wrong)).toThrow(/^SERVICE_PUBLIC_URL /)
})

describe('readSecretKey', () => {
  test('creates a key file that only its owner can read, and reuses it', () =>
    inFolder(async (folder) => {
      const config = join(folder, 'config')
      const key = readSecretKey(undefined, config)
      expect(key.length).toBeGreaterThanOrEqual(32)
      expect((await stat(join(config, 'secret_key'))).mode & 0o777).toBe(0o600)
      expect(readSecretKey(undefined, config)).toBe(key)
      expect(await readdir(config)).toEqual(['secret_key'])
    }))

  test('an empty key file is refused by name, and never used as a key', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'secret_key')
      await writeFile(path, '')
      expect(() => readSecretKey(undefined, folder)).toThrow(`The key file ${path} is empty`)
    }))

  test(
    'processes that start simultaneously in many new folders agree on every key',
    { tags: ['long'] },
    () =>
      inFolder(async (folder) => {
        const folders = Array.from({ length: 300 }, (_, n) => join(folder, String(n)))
        for (const path of folders) await mkdir(path)
        const [one, two] = await Promise.all([keysRead(folders), keysRead(folders)])
        expect(one).toEqual(two)
        expect(new Set(one).size).toBe(folders.length)
      }),
  )

  test('a configured key is used and not written to disk', () =>
    inFolder(async (folder) => {
      const given = 'k'.repeat(32)
      expect(readSecretKey(given, join(folder, 'config'))).toBe(given)
      await expect(stat(join(folder, 'config'))).rejects.toThrow(/ENOENT/)
    }))
})

/** The keys that a process of its own reads in these folders. */
async function keysRead(folders: readonly string[]): Promise<string[]> {
  const script = `import { readSecretKey } from ${JSON.stringify(SECRET_KEY)}
    const keys = ${JSON.stringify(folders)}.map((folder) => readSecretKey(undefined, folder))
    console.log(JSON.stringify(keys))`
  const flags = ['--import', 'tsx', '--conditions=@x/source', '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, flags)
  return JSON.parse(stdout) as string[]
}
