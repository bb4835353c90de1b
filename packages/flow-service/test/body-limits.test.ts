import { describe, expect, test } from 'vitest'
import { bodyLimitOf } from '../src/http/route/body-limit.ts'
import { MAX_STRANGER_FILE } from '../src/services/files/anonymous-uploads.ts'
import { routes } from '../src/http/routes/index.ts'
import { defaultSettings } from '../src/settings.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** The body limits of each kind of operation, with the default settings. */
const allowed = {
  none: 64 * KIB,
  webhook: MIB,
  public: MIB,
  user: 32 * MIB,
  superuser: 32 * MIB,
  key: 32 * MIB,
  'bearer-key': 32 * MIB,
  openai: 32 * MIB,
  session: 32 * MIB,
  // The doors read up to 32 MB by themselves: their refusals have a form of their own.
  chat: 1024 * MIB,
  agent: 1024 * MIB,
  // `mcp.maxBodyBytes`, 4 MiB, is checked by the operations: its refusal is a JSON-RPC error.
  mcp: 1024 * MIB,
  guest: 64 * KIB,
  visitor: 64 * KIB,
  optional: 64 * KIB,
}

/** The only operations that may pass the limit of their kind, and why. */
const uploads: Readonly<Record<string, number>> = {
  'POST /api/v1/upload/{flow_id}': MAX_STRANGER_FILE + 64 * KIB,
}

describe('AB-51, AB-52: every operation limits its body', () => {
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    (name, route) => {
      const isUpload = route.consumes === 'multipart' && route.auth === 'user'
      const most = uploads[name] ?? (isUpload ? 1024 * MIB : allowed[route.auth])
      const limit = bodyLimitOf(route, defaultSettings)
      expect(limit).toBeGreaterThan(0)
      expect(limit).toBeLessThanOrEqual(most)
    },
  )

  test('an operation without an own limit gets the limit of its kind', () => {
    const head = { auth: 'none', consumes: 'multipart' } as const
    expect(bodyLimitOf(head, defaultSettings)).toBe(64 * KIB)
    expect(bodyLimitOf({ auth: 'user' }, { ...defaultSettings, maxJsonBody: 0 })).toBe(1024 * MIB)
    expect(bodyLimitOf({ auth: 'user', maxBody: 5 * MIB }, defaultSettings)).toBe(5 * MIB)
  })
})
