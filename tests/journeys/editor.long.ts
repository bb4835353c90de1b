import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withService } from './service.ts'

const ACCEPT = { accept: 'text/html,application/xhtml+xml' }

test('an editor is served at the root and its routes, and the console moves to /console', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'editor-'))
  try {
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Editor</title>')
    await writeFile(join(folder, 'assets', 'index-BwMUazk3.js'), 'export {}')
    await symlink('/etc/hostname', join(folder, 'link.txt'))
    await withService({ SERVICE_FRONTEND_PATH: folder }, async (service) => {
      const get = (path: string, headers: Record<string, string> = ACCEPT) =>
        service.call('GET', path, { key: null, headers })
      for (const path of ['/', '/flows', '/flow/2f3a9c1e-0000-4000-8000-00000000abcd', '/login'])
        expect([path, (await get(path)).text]).toEqual([path, expect.stringContaining('Editor')])
      const script = await get('/assets/index-BwMUazk3.js', {})
      expect(script.headers.get('content-type')).toContain('text/javascript')
      expect(script.headers.get('cache-control')).toContain('immutable')
      expect((await get('/')).headers.get('cache-control')).toBe('no-cache')
      // Responses other than pages are unchanged.
      expect((await get('/api/v1/nothing')).status).toBe(404)
      expect((await get('/assets/missing.js')).status).toBe(404)
      expect((await get('/link.txt')).status).toBe(404)
      expect((await get('/..%2f..%2fetc%2fhostname')).text).not.toContain('root:')
      expect((await get('/flows', { accept: 'application/json' })).status).toBe(404)
      expect((await get('/health', {})).json()).toMatchObject({ status: 'ok' })
      expect((await get('/console')).text).toContain('<title>Console</title>')
      expect((await get('/console.js', {})).status).toBe(200)
    })
    await rm(join(folder, 'index.html'))
    const refused = withService({ SERVICE_FRONTEND_PATH: folder }, () => Promise.resolve())
    await expect(refused).rejects.toThrow('has no index.html')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
