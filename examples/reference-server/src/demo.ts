import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeServer, listenFirst } from './listen-first.ts'
import { createLog } from './log.ts'
import { createReferenceServer } from './server.ts'
import { readSettings } from './settings/read-settings.ts'

/** Starts the server in a folder of its own, uses it over HTTP, and leaves nothing behind. */
const folder = await mkdtemp(join(tmpdir(), 'reference-demo-'))
try {
  await demo(folder)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function demo(config: string): Promise<void> {
  const scimToken = 'a-token-for-the-demo'
  const environment = {
    SERVICE_CONFIG_DIR: config,
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: scimToken,
    SCIM_AUDIT_LOG: join(config, 'audit.log'),
  }
  const listening = await listenFirst('127.0.0.1', 0)
  const { server, url } = listening
  const reference = await createReferenceServer(readSettings(environment).settings, environment, {
    url,
    log: createLog('warning'),
  })
  listening.mount(reference.listener)
  console.log(`A server at ${url}, its data in ${config}\n`)
  try {
    console.log(`Run the flow "echo": ${await runEcho(url, reference.firstStart.apiKey ?? '')}\n`)
    console.log(`Provision a user: ${await createUser(url, scimToken)}\n`)
    console.log(`Stream a surface:\n${await readSurface(url)}`)
  } finally {
    await Promise.all([closeServer(server, 1000), reference.finish(1000)])
    await reference.close()
  }
}

/** The text that the chat output of the flow answers. */
async function runEcho(url: string, apiKey: string): Promise<string> {
  const response = await checked(
    fetch(`${url}/api/v1/run/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ input_value: 'hello' }),
    }),
  )
  const { outputs } = (await response.json()) as {
    outputs: { outputs: { results: { message: { text: string } } }[] }[]
  }
  return outputs[0]?.outputs[0]?.results.message.text ?? 'no answer'
}

async function createUser(url: string, token: string): Promise<string> {
  const response = await checked(
    fetch(`${url}/api/v1/scim/v2/Users`, {
      method: 'POST',
      headers: { 'content-type': 'application/scim+json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ userName: 'ada@example.com', active: true }),
    }),
  )
  return JSON.stringify(await response.json())
}

/** The messages of the demo surface up to the one that lets a client show it. */
async function readSurface(url: string): Promise<string> {
  const leave = new AbortController()
  const headers = { accept: 'application/jsonl' }
  const response = await checked(
    fetch(`${url}/surfaces/demo/stream`, { headers, signal: leave.signal }),
  )
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/"beginRendering".*\n/.test(text)) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) throw new Error('The stream has ended early')
    text += value
  }
  leave.abort()
  return text
}

async function checked(answer: Promise<Response>): Promise<Response> {
  const response = await answer
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`)
  return response
}
