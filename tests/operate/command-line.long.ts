import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { inFolder, runToEnd, startServer } from '../server/start-server.ts'

describe('the command line', () => {
  test('--help lists the variables and exits', async () => {
    const { code, stdout, stderr } = await runToEnd({}, ['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ {2}SERVICE_PUBLIC_URL$/m)
  })

  test('an unknown option stops the start with one line', () =>
    inFolder(async (folder) => {
      const SERVICE_CONFIG_DIR = join(folder, 'config')
      const { code, stderr } = await runToEnd({ SERVICE_CONFIG_DIR }, ['--port', '80'])
      expect(code).toBe(1)
      expect(stderr).toBe(
        'Unknown option --port; there are --help, --check, --public, --reencrypt\n',
      )
      expect(await readdir(folder)).toEqual([])
    }))

  test('a version of Node that is too old stops the start with one line', async () => {
    const start = fileURLToPath(
      new URL('../../examples/reference-server/start.mjs', import.meta.url),
    )
    const older = `Object.defineProperty(process, 'versions', { value: { node: '22.11.0' } })`
    const pretend = `data:text/javascript,${encodeURIComponent(older)}`
    const started = promisify(execFile)(process.execPath, ['--import', pretend, start])
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: 'Node 22.11.0 is too old: install Node 24, or 20.19 or 22.12 at least\n',
    })
  })

  test('an invalid setting stops the start with one line', () =>
    inFolder(async (folder) => {
      const SERVICE_CONFIG_DIR = join(folder, 'config')
      const { code, stderr } = await runToEnd({ SERVICE_CONFIG_DIR, SCIM_ENABLED: 'true' })
      expect(code).toBe(1)
      expect(stderr).toBe(
        'SCIM_TOKEN is required when SCIM_ENABLED is true; generate one with: openssl rand -base64 32\n',
      )
      expect(await readdir(folder)).toEqual([])
    }))

  test('SC-68 a SCIM token with characters that a bearer token cannot have stops the start with one line', () =>
    inFolder(async (folder) => {
      const scim = { SCIM_ENABLED: 'true', SCIM_TOKEN: 'a long random secret' }
      const { code, stderr } = await runToEnd({ SERVICE_CONFIG_DIR: folder, ...scim })
      expect(code).toBe(1)
      expect(stderr).toBe(
        'The SCIM token has a space or another character that no bearer token may have\n',
      )
    }))

  test('a database that cannot be reached stops the start with one line', () =>
    inFolder(async (folder) => {
      const SERVICE_DATABASE_URL = 'postgres://service:secret@127.0.0.1:1/service'
      const { code, stderr } = await runToEnd({
        SERVICE_CONFIG_DIR: folder,
        SERVICE_DATABASE_URL,
        SERVICE_DATABASE_WAIT_SECONDS: '0',
      })
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /^SERVICE_DATABASE_URL: The database cannot be reached \([^\n]*\)\. Start the database[^\n]*\n$/,
      )
      expect(stderr).not.toContain('secret')
    }))

  test('an address that is in use stops the start before any file is created', () =>
    inFolder(async (folder) => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const { port } = taken.address() as AddressInfo
      const SERVICE_CONFIG_DIR = join(folder, 'config')
      const { code, stderr } = await runToEnd({ SERVICE_CONFIG_DIR, PORT: String(port) })
      taken.close()
      expect(code).toBe(1)
      expect(stderr).toBe(
        `PORT: 127.0.0.1:${port} is already in use (EADDRINUSE), perhaps by an earlier start. Stop that process, or choose another port with PORT=7861 npm start (0: a free one)\n`,
      )
      expect(await readdir(folder)).toEqual([])
    }))

  test('warns about an unknown variable; LOG_LEVEL=debug logs paths without the query', () =>
    inFolder(async (folder) => {
      const server = await startServer({
        SERVICE_CONFIG_DIR: folder,
        SERVICE_SUPERUSR: 'x',
        LOG_LEVEL: 'debug',
      })
      await fetch(`${server.url}/health?x-api-key=secret`)
      await server.end('SIGTERM')

      const [line = ''] = server.output().split('\n')
      expect(JSON.parse(line)).toMatchObject({
        level: 'warning',
        message: 'SERVICE_SUPERUSR is unknown; did you mean SERVICE_SUPERUSER?',
      })
      expect(server.output()).toMatch(/"message":"request",.*"method":"GET",.*"path":"\/health"/)
      expect(server.output()).not.toContain('x-api-key=secret')
    }))
})
