import { readdir } from 'node:fs/promises'
import { withHandlers } from '@x/http-adapters/next-config'
import { expect, test } from 'vitest'

test('HO-35 keeps slashes and keeps the installed packages out of the bundle', async () => {
  const config = withHandlers({
    serverExternalPackages: ['pg', '@x/scim-core'],
    poweredByHeader: false,
  })
  expect(config).toMatchObject({ skipTrailingSlashRedirect: true, poweredByHeader: false })
  const packages = config.serverExternalPackages ?? []
  expect(packages.slice(0, 2)).toEqual(['pg', '@x/scim-core'])
  for (const name of await readdir(new URL('../..', import.meta.url)))
    expect(packages).toContain(`@x/${name}`)
  expect(new Set(packages).size).toBe(packages.length)
})

test('HO-35 an absent configuration is an empty one', () => {
  expect(withHandlers().skipTrailingSlashRedirect).toBe(true)
})

test('HO-35 a function stays a function, with its parameters', async () => {
  const config = withHandlers(async (phase: string) => ({ distDir: phase }))
  expect(typeof config).toBe('function')
  const given = await (config as (phase: string) => Promise<object>)('phase-build')
  expect(given).toMatchObject({ distDir: 'phase-build', skipTrailingSlashRedirect: true })
})

test('HO-35 a host that wants the redirect is told', () => {
  expect(() => withHandlers({ skipTrailingSlashRedirect: false })).toThrow(
    'Invalid option skipTrailingSlashRedirect: false',
  )
})
