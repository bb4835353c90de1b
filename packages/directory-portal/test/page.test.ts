import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { PORTAL_PROVIDERS } from '@x/directory-portal'
import { BUILT } from '../src/page/built.ts'
import { WORDS } from '../src/words/words.ts'
import { createHarness } from './support.ts'

const tool = fileURLToPath(new URL('../../../tools/build-portal-page.mjs', import.meta.url))
const browser = fileURLToPath(new URL('../browser/', import.meta.url))

/** The texts of a table by their paths. */
function texts(table: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[`${prefix}${key}`, value] as const]
        : [...texts(value as object, `${prefix}${key}.`)],
    ),
  )
}

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted()

describe('the page', () => {
  test('DP-21 its files are those of its sources, and all of its own origin', async () => {
    execFileSync(process.execPath, [tool, '--check'])
    const { ask } = createHarness()
    for (const path of ['', '/']) {
      const { body } = await ask('GET', path)
      const names = [...String(body).matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, name = '']) => name,
      )
      expect(names).toHaveLength(2)
      for (const name of names) {
        const from = new URL(name, `https://acme.example/directory${path}`)
        const file = await ask('GET', from.pathname.slice('/directory'.length))
        expect(file.status).toBe(200)
        expect(file.headers.get('cache-control')).toContain('immutable')
      }
    }
    const element = await ask('GET', '/element.js')
    expect(element.headers.get('content-type')).toContain('text/javascript')
    expect(element.headers.get('cache-control')).toBe('no-cache')
    expect(String(element.body)).not.toMatch(/https?:\/\//)
  })

  test('DP-21 the page works below any path', async () => {
    const { ask, portal } = createHarness({ basePath: '/admin/sync' })
    expect((await ask('GET', '/')).status).toBe(404)
    const page = await portal.handle(new Request('https://acme.example/admin/sync'))
    const [, script = ''] = /src="([^"]+)"/.exec(await page.text()) ?? []
    const file = new URL(script, 'https://acme.example/admin/sync').href
    expect((await portal.handle(new Request(file))).status).toBe(200)
    expect((await portal.handle(new Request(file, { method: 'POST' }))).status).toBe(405)
  })

  test('DP-22 the first load is small', () => {
    const size = (body: string) => gzipSync(body).length
    expect(size(BUILT.script.body)).toBeLessThan(60_000)
    expect(size(BUILT.style.body)).toBeLessThan(12_000)
    for (const { body } of BUILT.words) expect(size(body)).toBeLessThan(8_000)
  })

  test('DP-27 figures are small drawings with a policy of their own', async () => {
    const { ask } = createHarness()
    for (const id of PORTAL_PROVIDERS) {
      const { status, body, headers } = await ask('GET', `/figures/${id}.svg`)
      expect(status).toBe(200)
      expect(String(body).length).toBeLessThan(12_000)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'unsafe-inline'",
      )
    }
    expect((await ask('GET', '/figures/none.svg')).status).toBe(404)
    expect((await ask('GET', '/figures/..%2f..%2fx.svg')).status).toBe(404)
  })

  test('DP-28 the languages have the same keys and placeholders, and no key is unused', () => {
    const [english, ...others] = [...WORDS.values()].map((words) => texts(words))
    for (const other of others) {
      expect([...other.keys()]).toEqual([...(english?.keys() ?? [])])
      for (const [key, text] of english ?? [])
        expect([key, placeholders(other.get(key) ?? '')]).toEqual([key, placeholders(text)])
    }
    const source = readdirSync(browser, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(browser + name, 'utf8'))
      .join('\n')
    const prefixes = ['refused_', 'waiting_', 'state_', 'domain_']
    const unused = [...texts(WORDS.get('en')?.ui ?? {}).keys()].filter(
      (key) =>
        !prefixes.some((prefix) => key.startsWith(prefix)) &&
        !new RegExp(`['"]${key}['"]|\\b${key}: \\w+View`).test(source),
    )
    // Shown by the state of a user, and filled in by the steps of providers.
    const elsewhere = ['active', 'inactive', 'deleted', 'figure']
    expect(unused.filter((key) => !elsewhere.includes(key))).toEqual([])
  })
})
