import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { joinSources } from '../../tools/join-sources.mjs'
import { load, type LoadRequest, type LoadResult } from '../lib/load.ts'
import { median } from '../lib/measure.ts'
import { report } from '../lib/report.ts'
import { startServer } from '../lib/server-process.ts'

/**
 * CPU milliseconds of the reference service 1.7.1 for one operation, measured on a machine of the
 * same class with its own tools; that service is not part of this run.
 */
const REFERENCE = { run: 35, build: 55, read: 5.5, list: 12 }

// Joined into one file, as `npm start` runs it, where its relative addresses stay true.
const joined = new URL('../../examples/reference-server/dist/bench.js', import.meta.url)
await joinSources(fileURLToPath(new URL('server.ts', import.meta.url)), fileURLToPath(joined))

const folder = mkdtempSync(join(tmpdir(), 'bench-flow-http-'))
const server = await startServer(joined, { args: [folder] })
const base = `http://127.0.0.1:${server.port}/api/v1`

const signIn = await fetch(`${base}/login`, {
  method: 'POST',
  body: new URLSearchParams({ username: 'admin', password: 'bench-pass-1' }),
})
const { access_token: token } = (await signIn.json()) as { access_token: string }
const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const made = await fetch(`${base}/api_key/`, { method: 'POST', headers: bearer, body: '{}' })
const { api_key: key } = (await made.json()) as { api_key: string }
const flows = (await (await fetch(`${base}/flows/`, { headers: bearer })).json()) as {
  id: string
}[]
const [{ id } = { id: '' }] = flows

const operations: Record<keyof typeof REFERENCE, LoadRequest> = {
  run: {
    method: 'POST',
    path: `/api/v1/run/${id}`,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"input_value":"hello"}',
  },
  build: {
    method: 'POST',
    path: `/api/v1/build/${id}/flow?event_delivery=direct`,
    headers: bearer,
    body: '{"inputs":{"input_value":"hello"}}',
  },
  read: { path: `/api/v1/flows/${id}`, headers: bearer },
  list: { path: '/api/v1/flows/', headers: bearer },
}

// A server that serves for months is compiled: what its first requests cost more is left out.
const WARM_UP = 2000
const ROUNDS = 7
const REQUESTS = 400
const samples: Record<string, number[]> = { run: [], build: [], read: [], list: [] }
const times: Record<string, LoadResult[]> = { run: [], build: [], read: [], list: [] }
try {
  for (const request of Object.values(operations)) {
    await load({ port: server.port, requests: WARM_UP, request })
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, request] of Object.entries(operations)) {
      const cpu = await server.cpuOf(async () => {
        times[name]?.push(await load({ port: server.port, requests: REQUESTS, request }))
      })
      samples[name]?.push(cpu / REQUESTS / 1000)
    }
  }
  const { rss } = await server.usage()
  const timeOf = (name: string, percent: 'p50' | 'p99'): string =>
    median((times[name] ?? []).map((result) => result[percent])).toFixed(0)
  const figures = Object.entries(REFERENCE).map(([name, reference]) => {
    const ours = median(samples[name] ?? [])
    return {
      name: `${name}: times less CPU than the reference service`,
      value: reference / ours,
      unit: 'x',
      limit: name === 'run' || name === 'build' ? 50 : 30,
      better: 'higher' as const,
      note: `${ours.toFixed(3)} ms against ${reference} ms; 16 at once p50 ${timeOf(name, 'p50')} ms, p99 ${timeOf(name, 'p99')} ms`,
    }
  })
  report('flow-http', [
    ...figures,
    { name: 'resident memory', value: rss / 2 ** 20, unit: 'MiB', limit: 200 },
  ])
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
