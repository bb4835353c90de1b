import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DOCKERFILE = 'examples/deploy/Dockerfile'
/** What the image may add to its base (OP-15). */
const MAX_BYTES = 160e6
const IMAGE = `flows-test-${process.pid}`

const run = promisify(execFile)

/** `CONTAINER_ENGINE` names a program with the commands of docker; by default the first that is installed and runs. */
async function findEngine(): Promise<string | undefined> {
  for (const name of [process.env['CONTAINER_ENGINE'] ?? '', 'docker', 'podman']) {
    const isUsable = name !== '' && (await run(name, ['info']).then(Boolean, () => false))
    if (isUsable) return name
  }
  return undefined
}

/** Why the image cannot be built here; undefined if it can. */
async function findObstacle(): Promise<string | undefined> {
  if (engine === undefined) return 'neither docker nor podman runs here'
  const [, base = ''] = /^FROM (\S+)/m.exec(dockerfile) ?? []
  const isThere = await run(engine, ['image', 'inspect', base]).then(Boolean, () => false)
  if (isThere) return undefined
  const isPulled = await run(engine, ['pull', base], { timeout: 300_000 }).then(
    Boolean,
    () => false,
  )
  return isPulled ? undefined : `the base image ${base} is neither here nor to be pulled`
}

const dockerfile = await readFile(join(ROOT, DOCKERFILE), 'utf8')
const engine = await findEngine()
const obstacle = await findObstacle()
if (obstacle !== undefined) console.log(`skipped: ${obstacle}`)

/** Runs in the container with the program of the image, so that no port has to be published. */
const VISIT = `
  const call = async (path, { headers = {}, ...init } = {}) => {
    const response = await fetch('http://127.0.0.1:7860' + path, { ...init, headers })
    const text = await response.text()
    return { status: response.status, text, json: () => JSON.parse(text) }
  }
  const json = { 'content-type': 'application/json' }
  const login = await call('/api/v1/login', {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: 'a-password-for-the-image' }),
  })
  const signedIn = { authorization: 'Bearer ' + login.json().access_token }
  const key = await call('/api/v1/api_key/', {
    method: 'POST',
    headers: { ...json, ...signedIn },
    body: JSON.stringify({ name: 'image' }),
  })
  const withKey = { ...json, 'x-api-key': key.json().api_key }
  const scim = { authorization: 'Bearer a-token-for-the-image' }
  const body = JSON.stringify({ input_value: 'hello' })
  const pages = ['/', '/console.js', '/console.css', '/docs', '/docs/swagger-ui-bundle.js']
  console.log(JSON.stringify({
    user: process.getuid(),
    login: login.status,
    run: (await call('/api/v1/run/echo', { method: 'POST', headers: withKey, body })).text,
    users: (await call('/api/v1/scim/v2/Users', { headers: scim })).json().totalResults,
    pages: await Promise.all(pages.map(async (path) => (await call(path)).status)),
    written: await import('node:fs/promises').then((fs) =>
      fs.writeFile('/app/written', '').then(() => 'written', ({ code }) => code)),
  }))
`

describe.skipIf(obstacle !== undefined)('OP-15 the image', () => {
  const call = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(engine ?? '', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })
    return stdout.trim()
  }
  let container = ''

  beforeAll(async () => {
    await call('build', '--file', DOCKERFILE, '--tag', IMAGE, '.')
    const settings = {
      SERVICE_SUPERUSER_PASSWORD: 'a-password-for-the-image',
      SERVICE_SECRET_KEY: 'a-secret-key-of-32-characters-for-the-image',
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: 'a-token-for-the-image',
    }
    const set = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const locked = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--network', 'none']
    container = await call('run', '--detach', ...locked, ...set, IMAGE)
  }, 1_800_000)

  afterAll(async () => {
    if (container !== '') await call('rm', '--force', '--volumes', container)
    await call('rmi', '--force', IMAGE).catch(() => undefined)
  })

  test('adds at most 160 MB to its base image', async () => {
    const bytes = Number.parseInt(await call('exec', container, 'du', '-sb', '/app'), 10)
    console.log(`the image adds ${Math.round(bytes / 1e6)} MB`)
    expect(bytes).toBeGreaterThan(1e6)
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  })

  test('becomes healthy by its own check', async () => {
    const [, check = '[]'] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile) ?? []
    const command = JSON.parse(check) as string[]
    const isHealthy = () =>
      call('exec', container, ...command).then(
        () => true,
        () => false,
      )
    await expect.poll(isHealthy, { timeout: 120_000 }).toBe(true)
  })

  test('serves sign-in, a run, SCIM and the console to a process that cannot write', async () => {
    const program = ['node', '--input-type=module']
    const visit = spawn(engine ?? '', ['exec', '--interactive', container, ...program])
    visit.stdin.end(VISIT)
    expect(JSON.parse(await text(visit.stdout))).toMatchObject({
      user: 1000,
      login: 200,
      run: expect.stringContaining('You said: hello') as string,
      users: 0,
      pages: [200, 200, 200, 200, 200],
      written: 'EROFS',
    })
  })

  test('drains and ends with 0 on SIGTERM', async () => {
    await call('stop', '--time', '30', container)
    expect(await call('inspect', '--format', '{{.State.ExitCode}}', container)).toBe('0')
  })
})
