import { spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../lib/free-port.ts'
import { treeUsage } from '../lib/process-tree.ts'
import type { ServerProcess } from '../lib/server-process.ts'
import { ask, PASSWORD, signIn, type SavedFlow, type Service } from './service.ts'

/** It loads for a minute or two, on a busy machine longer. */
const START_SECONDS = 900

/**
 * Starts the reference service whose program the environment names (`BENCH_REFERENCE=/venv/bin/langflow`)
 * and saves the flow there; undefined when none is named. Linux only: its CPU time is read in `/proc`.
 */
export async function startReference(
  folder: string,
  flow: SavedFlow,
): Promise<Service | undefined> {
  const program = process.env['BENCH_REFERENCE']
  if (program === undefined) {
    console.log('BENCH_REFERENCE names no program: the bound is its CPU time on another day')
    return undefined
  }
  const server = await start(program, folder)
  const { port } = server
  try {
    await isUp(port)
    const signed = await signIn(port)
    return { server, ...signed, flowId: await saveFlow(port, signed.token, flow) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function start(program: string, folder: string): Promise<ServerProcess> {
  const port = await freePort()
  const args = ['run', '--backend-only', '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(program, args, {
    env: {
      ...process.env,
      LANGFLOW_AUTO_LOGIN: 'false',
      LANGFLOW_SUPERUSER: 'admin',
      LANGFLOW_SUPERUSER_PASSWORD: PASSWORD,
      LANGFLOW_CONFIG_DIR: folder,
      LANGFLOW_LOG_LEVEL: 'error',
      DO_NOT_TRACK: 'true',
    },
    stdio: 'ignore',
    detached: true,
  })
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
  const { pid } = child
  if (pid === undefined) throw new Error(`${program} does not start`)
  return {
    port,
    usage: () => Promise.resolve(treeUsage(pid)),
    async cpuOf(work) {
      const before = treeUsage(pid).cpu
      await work()
      return treeUsage(pid).cpu - before
    },
    async stop() {
      process.kill(-pid)
      await ended
    },
  }
}

async function isUp(port: number): Promise<void> {
  for (let second = 0; second < START_SECONDS; second += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)
    if (answer?.ok === true) return
    await setTimeout(1000)
  }
  throw new Error(`The reference service is not up after ${START_SECONDS} s`)
}

/** Saves the flow with the service's own code in its components: it runs no other. */
async function saveFlow(port: number, token: string, { data }: SavedFlow): Promise<string> {
  type Groups = Record<string, Record<string, { readonly template: { readonly code: unknown } }>>
  const groups = await ask<Groups>(port, '/all', token)
  const types = Object.assign({}, ...Object.values(groups)) as Groups[string]
  for (const { data: node } of data.nodes) {
    const code = types[node.type]?.template.code
    if (code === undefined) throw new Error(`The reference service has no component ${node.type}`)
    node.node.template = { ...node.node.template, code }
  }
  const { id } = await ask<{ id: string }>(port, '/flows/', token, { name: 'Bench', data })
  return id
}
