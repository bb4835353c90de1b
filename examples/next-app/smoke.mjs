import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { createRequire } from 'node:module'

/** Starts the built app on a free port, uses it as a browser would, and stops it. */
const port = await freePort()
const base = `http://127.0.0.1:${port}`
const next = createRequire(import.meta.url).resolve('next/dist/bin/next')
const app = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', String(port)], {
  cwd: import.meta.dirname,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await ready(app.stdout)

  const stranger = await run('nobody')
  assert.equal(stranger.status, 403)

  const signIn = await fetch(`${base}/sign-in`, { method: 'POST', redirect: 'manual' })
  assert.equal(signIn.status, 303)
  const [session] = signIn.headers.getSetCookie().map((line) => line.split(';')[0])
  assert.match(await (await fetch(base, { headers: { cookie: session } })).text(), /Message/)

  const answer = await run(session)
  assert.equal(answer.status, 200)
  assert.match(JSON.stringify(await answer.json()), /You said: hello/)

  const stream = await run(session, '?stream=true')
  const events = (await stream.text())
    .trim()
    .split('\n\n')
    .map((line) => JSON.parse(line).event)
  assert.equal(events.at(-1), 'end')
  assert.equal((await fetch(`${base}/api/v1/nothing-here`)).status, 404)
  console.log('next-app: 7 checks passed')
} finally {
  app.kill()
  await once(app, 'exit')
}

function run(cookie, query = '') {
  return fetch(`${base}/api/v1/run/echo${query}`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: '{"input_value":"hello"}',
  })
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: found } = server.address()
  server.close()
  await once(server, 'close')
  return found
}

/** Next says "Ready" once it listens. */
async function ready(output) {
  let text = ''
  for await (const chunk of output) if ((text += chunk).includes('Ready')) return
  throw new Error(`The app has not started: ${text}`)
}
