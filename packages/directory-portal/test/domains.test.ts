import { createDomains } from '@x/directory-portal'
import { createMemoryPortalStore } from '@x/directory-portal/memory'
import { createTestRuntime } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'
import { createHarness } from './support.ts'

/** A host with domains and a DNS of its own. */
function createHost() {
  const runtime = createTestRuntime()
  const store = createMemoryPortalStore()
  const records = new Map<string, string[][] | string>()
  const domains = createDomains({
    store,
    runtime,
    async resolveTxt(name) {
      const found = records.get(name) ?? 'ENOTFOUND'
      if (typeof found === 'string') throw Object.assign(new Error('dns'), { code: found })
      return found
    },
  })
  const harness = createHarness({ domains, store, runtime })
  const add = async (tenant: string, domain = 'corp.example') => {
    const { go } = await harness.open({ tenant })
    const { body } = await go('POST', '/domains', { domain })
    return { go, ...body, verify: () => go('POST', `/domains/${domain}/verify`, {}) }
  }
  return { ...harness, runtime, domains, records, add }
}

describe('domains', () => {
  test('DP-50 a domain has one form, and its record stays the same', async () => {
    const { open, add } = createHost()
    const { go } = await open()
    for (const domain of [
      'corp',
      '10.0.0.1',
      'http://corp.example',
      'corp.example/x',
      'corp.example:80',
      '*.corp.example',
      'a@corp.example',
      '-a.example',
      'a..example',
      'corp.example.',
      '',
      7,
      null,
      `${'a'.repeat(64)}.example`,
    ])
      expect((await go('POST', '/domains', { domain })).body.error?.code).toBe('invalid')
    const made = await go('POST', '/domains', { domain: 'Bücher.Example' })
    expect([made.status, made.body.domain]).toEqual([201, 'xn--bcher-kva.example'])
    expect(made.body.txtName).toBe('_directory-portal.xn--bcher-kva.example')
    expect(made.body.txtValue).toMatch(/^directory-portal=[\w-]{43}$/)
    const { txtValue } = await add('acme')
    expect((await go('DELETE', '/domains/corp.example')).status).toBe(204)
    expect((await go('DELETE', '/domains/corp.example')).status).toBe(404)
    expect((await add('acme')).txtValue).toBe(txtValue)
    expect((await add('globex')).txtValue).not.toBe(txtValue)
    const { domains } = (await go('GET', '/domains')).body
    expect(domains.map(({ state }: { state: string }) => state)).toEqual(['pending', 'pending'])
  })

  test('DP-50 a record proves it, split or beside others; else the answer says why not', async () => {
    const { add, records, domains } = createHost()
    const { verify, txtName, txtValue } = await add('acme')
    const code = async () => (await verify()).body.error?.code
    expect(await code()).toBe('not_found')
    records.set(txtName, 'ENODATA')
    expect(await code()).toBe('not_found')
    records.set(txtName, 'ESERVFAIL')
    expect(await code()).toBe('dns_failed')
    records.set(txtName, [['directory-portal=other'], ['v=spf1']])
    const different = (await verify()).body.error
    expect(different.code).toBe('different')
    expect(different.message).toContain('directory-portal=other')
    expect(await domains.tenantOf('ada@corp.example')).toBeNull()
    records.set(txtName, [['v=spf1'], [txtValue.slice(0, 20), txtValue.slice(20)]])
    expect((await verify()).body).toMatchObject({ state: 'verified' })
    for (let n = 0; n < 5; n += 1) await verify()
    expect((await verify()).status).toBe(429)
  })

  test('DP-52 an address belongs to the tenant of its exact domain', async () => {
    const { add, records, domains } = createHost()
    const { verify, txtName, txtValue } = await add('acme')
    records.set(txtName, [[txtValue]])
    await verify()
    expect(await domains.tenantOf('Ada@CORP.example')).toBe('acme')
    for (const email of [
      'ada@sub.corp.example',
      'ada@example',
      'corp.example',
      '@corp.example',
      '',
    ])
      expect(await domains.tenantOf(email)).toBeNull()
  })

  test('DP-51 the first keeps a domain, and loses it after three days without its record', async () => {
    const { add, records, domains, runtime, portal } = createHost()
    const first = await add('acme')
    const second = await add('globex')
    records.set(first.txtName, [[first.txtValue], [second.txtValue]])
    expect((await first.verify()).status).toBe(200)
    expect((await second.verify()).body.error.code).toBe('taken')
    records.set(first.txtName, [[second.txtValue]])
    const day = async () => {
      await runtime.advance(86_400_001)
      await portal.maintain()
      await portal.maintain()
    }
    for (let n = 0; n < 3; n += 1) {
      await day()
      expect(await domains.tenantOf('ada@corp.example')).toBe('acme')
    }
    await day()
    expect(await domains.tenantOf('ada@corp.example')).toBeNull()
    expect(await domains.list('acme')).toMatchObject([{ state: 'lapsed' }])
    expect((await (await add('globex')).verify()).status).toBe(200)
    expect(await domains.tenantOf('ada@corp.example')).toBe('globex')
  })

  test('DP-50 without domains there are none', async () => {
    const { open } = createHarness()
    const { go } = await open()
    expect((await go('GET', '/domains')).status).toBe(404)
    expect((await go('GET', '/session')).body.features.domains).toBe(false)
  })
})
