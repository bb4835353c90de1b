import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startServer } from '../server/start-server.ts'
import { withService } from './service.ts'

const ON = {
  SCIM_ENABLED: 'true',
  SCIM_TOKEN: 'a-static-token-of-the-portal',
  SCIM_CONNECTIONS: 'true',
  SCIM_PORTAL: 'true',
  SERVICE_SUPERUSER_PASSWORD: 'a-password-for-the-portal',
}
/** The walk of an administrator over HTTP. */
const walk = fileURLToPath(
  new URL('../../../shared/golden/directory-portal/walk.mjs', import.meta.url),
)

async function printed(parameters: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of child.stdout) text += String(chunk)
  return text
}

test.skipIf(!existsSync(walk))('DP-68 the walk of an administrator', async () => {
  await withService(ON, async ({ url }) => {
    const password = ON.SERVICE_SUPERUSER_PASSWORD
    const text = await printed([walk, url, '--user', 'admin', '--password', password])
    expect(text).toMatch(/\n12 passed, 0 failed\n$/)
  })
})

test('DP-65 the portal needs what it is made of, and is off by default', async () => {
  const { SCIM_CONNECTIONS: _off, ...without } = ON
  await expect(startServer(without)).rejects.toThrow(/SCIM_CONNECTIONS/)
  const { SCIM_PORTAL: _portal, ...others } = ON
  await withService(others, async ({ url }) => {
    for (const path of ['/directory/', '/directory/api/session', '/api/v1/scim/portal/links'])
      expect((await fetch(url + path)).status).toBe(404)
  })
})

test('DP-65 superusers make links, and no one else', async () => {
  await withService(ON, async ({ url }) => {
    const links = `${url}/api/v1/scim/portal/links`
    const login = await fetch(`${url}/api/v1/login`, {
      method: 'POST',
      body: new URLSearchParams({
        username: 'admin',
        password: ON.SERVICE_SUPERUSER_PASSWORD,
      }),
    })
    const { access_token: token } = (await login.json()) as { access_token: string }
    const ask = (method: string, path = '', body?: unknown, bearer = token) =>
      fetch(links + path, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const input = { tenant: 'acme', actor: 'mira@corp.example' }
    expect((await fetch(links, { method: 'POST', body: '{}' })).status).toBe(401)
    expect((await ask('POST', '', input, ON.SCIM_TOKEN)).status).toBe(401)
    for (const wrong of [
      {},
      { ...input, ttlSeconds: 1 },
      { ...input, permission: 'all' },
      { ...input, actor: 'x'.repeat(201) },
      { ...input, returnUrl: 'https://evil.example/' },
    ])
      expect((await ask('POST', '', wrong)).status).toBe(400)
    const made = await ask('POST', '', input)
    expect(made.status).toBe(201)
    const { id, url: link } = (await made.json()) as { id: string; url: string }
    expect(link.startsWith(`${url}/directory/#open=pl_`)).toBe(true)
    const listed = (await (await ask('GET', '?tenant=acme')).json()) as { links: object[] }
    expect(listed.links).toMatchObject([{ id, ...input }])
    expect((await ask('DELETE', `/${id}?tenant=globex`)).status).toBe(404)
    expect((await ask('DELETE', `/${id}?tenant=acme`)).status).toBe(204)
  })
})
