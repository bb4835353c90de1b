import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createCodeRunner } from '@x/flow-components/node'
import { createDiskFlowFiles } from '../src/node/disk-flow-files.ts'
import type { FlowEngineOptions } from '../src/options.ts'
import type { FlowSettings } from '../src/settings.ts'
import { createTestEngine, SECRET_KEY } from '@x/test-kit'
import { serve } from '@x/test-kit'

/** Recorded answers of the reference service; they lie beside the checkout, or nowhere. */
const golden = fileURLToPath(new URL('../../../../shared/golden/', import.meta.url))

/** Settings that transcripts name by `server` (login.md, Profiles). */
const profiles: Readonly<Record<string, Partial<FlowSettings>>> = {
  default: {},
  agentic: { agenticExperience: true },
  'auto-login': { autoLogin: true },
  'webhook-auth': { webhookAuthEnable: true },
  'small-upload': { maxFileSizeUpload: 1 },
  'store-off': { store: false },
  'code-runner': {},
  settings: {
    newUserIsActive: true,
    webhookAuthEnable: true,
    accessTokenExpireSeconds: 1800,
    refreshTokenExpireSeconds: 7200,
    accessHttponly: true,
    accessSameSite: 'strict',
    accessSecure: true,
    refreshSameSite: 'lax',
    cookieDomain: '127.0.0.1',
    maxFileSizeUpload: 1,
    corsOrigins: ['https://app.example.test'],
    eventDelivery: 'polling',
    autoSaving: false,
    maxTextLength: 500,
    disableTrackApikeyUsage: true,
  },
}

const KEYS: Readonly<Record<string, string>> = {
  settings: 'golden-secret-key-for-replay-only-012345678',
}

/** One transcript waits for the end of an endless loop. */
const codeRunner = createCodeRunner({ timeoutMs: 5_000 })

async function replay(profile: string, folders: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-golden-'))
  const options: Partial<FlowEngineOptions> = {
    settings: { refreshSecure: false, deprecatedUpload: true, ...profiles[profile] },
    secretKey: KEYS[profile] ?? SECRET_KEY,
    flowFiles: createDiskFlowFiles(folder),
    // Flows of the recordings name the model server's address (AB-40).
    ssrfAllow: ['127.0.0.1'],
    ...(profile === 'code-runner' ? { services: { codeRunner } } : {}),
  }
  const engine = await createTestEngine(options)
  const server = await serve(engine.handler)
  try {
    return await output([
      join(golden, 'replay.mjs'),
      '--base',
      server.url,
      '--server',
      profile,
      ...folders.map((name) => join(golden, 'flow-api', name)),
    ])
  } finally {
    await server.close()
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function output(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (part: Buffer) => (text += part.toString()))
  return new Promise((resolve) => {
    child.on('close', () => resolve(text))
  })
}

type Piece = [profile: string, name: string, folders: readonly string[]]

/** Most transcripts are of the default profile: several engines replay them side by side. */
function pieces(): Piece[] {
  const root = join(golden, 'flow-api')
  const folders = existsSync(root) ? readdirSync(root) : []
  return Object.keys(profiles).flatMap((profile): Piece[] => {
    if (profile !== 'default') return [[profile, 'all', folders]]
    return [0, 1, 2, 3].map((rest) => {
      const part = folders.filter((_, at) => at % 4 === rest)
      return [profile, part.join(' '), part]
    })
  })
}

/** The one step that a later rule replaces: a sign-out ends its access token too (AB-64). */
const replaced = new Set([
  'FAIL login: after logout the refresh token is void (corrected: safer than the reference)',
  '     4 an access token lives on until it expires: status: expected 200, got 401 {"detail":"Could not validate credentials"}',
  '     4 an access token lives on until it expires: $.id: missing',
])

// Without the recordings there is nothing to compare with.
describe.skipIf(!existsSync(join(golden, 'replay.mjs')))('recorded answers', () => {
  test.concurrent.each(pieces())(
    'the transcripts of profile %s match (%s)',
    async (profile, _, folders) => {
      const text = await replay(profile, folders)
      const lines = text.trim().split('\n')
      const wrong = lines.filter((line) => !line.startsWith('ok  ')).slice(0, -1)
      expect(wrong.filter((line) => !replaced.has(line))).toEqual([])
      expect(lines.at(-1)).toMatch(wrong.length > 0 ? /, 1 failed/ : /^[1-9]\d* passed, 0 failed/)
    },
    600_000,
  )
})
