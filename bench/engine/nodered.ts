import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { step } from './flows.ts'

const peers = fileURLToPath(new URL('../engine/peers/', import.meta.url))

interface Message {
  readonly _msgid: string
  payload: unknown
}

interface NodeRedNode {
  readonly id: string
  on(
    event: 'input',
    listener: (message: Message, send: (message: Message) => void, done: () => void) => unknown,
  ): void
  receive(message: Message): void
}

interface Settings {
  readonly id: string
  readonly type: string
  readonly z?: string
  readonly wires?: readonly (readonly string[])[]
  /** For a `join`: number of messages that make one. */
  readonly count?: number
}

interface Runtime {
  init(settings: object): void
  start(): Promise<void>
  stop(): Promise<void>
  readonly _: {
    readonly nodes: {
      createNode(node: NodeRedNode, settings: Settings): void
      registerType(
        set: string,
        type: string,
        constructor: (this: NodeRedNode, settings: Settings) => void,
      ): void
      getNode(id: string): NodeRedNode
    }
  }
}

interface Util {
  init(settings: object): void
  readonly events: { once(event: string, listener: () => void): void }
}

/** Sends a message through a flow of Node-RED; resolves when it has come out. */
export interface NodeRed {
  readonly chain: (length: number) => Promise<unknown>
  readonly fanOut: () => Promise<unknown>
  readonly stop: () => Promise<void>
}

/**
 * The same nodes in the runtime of Node-RED, in this process and without its editor; undefined unless
 * `npm ci --legacy-peer-deps` was run in `peers/`.
 */
export async function startNodeRed(
  chains: readonly number[],
  width: number,
): Promise<NodeRed | undefined> {
  if (!existsSync(`${peers}node_modules/@node-red/runtime`)) return undefined
  const require = createRequire(`${peers}package.json`)
  const runtime = require('@node-red/runtime') as Runtime
  const util = require('@node-red/util') as Util
  const folder = mkdtempSync(join(tmpdir(), 'bench-node-red-'))
  for (const name of ['examples', 'locales']) mkdirSync(join(folder, name))

  const flows = [...chains.flatMap(chainOf), ...fanOutOf(width)]
  const settings = {
    storageModule: storageOf(flows),
    userDir: folder,
    coreNodesDir: folder,
    httpAdminRoot: false,
    logging: { console: { level: 'off', metrics: false, audit: false } },
    telemetry: { enabled: false },
  }
  const waiting = new Map<string, (payload: unknown) => void>()
  const { nodes } = runtime._
  util.init(settings)
  runtime.init(settings)
  const started = new Promise<void>((resolve) => util.events.once('flows:started', resolve))
  await runtime.start()
  nodes.registerType('bench', 'step', function stepNode(node) {
    nodes.createNode(this, node)
    this.on('input', async (message, send, done) => {
      message.payload = await step(message.payload)
      send(message)
      done()
    })
  })
  nodes.registerType('bench', 'join', function joinNode(node) {
    nodes.createNode(this, node)
    let arrived = 0
    this.on('input', async (message, send, done) => {
      arrived += 1
      if (arrived === node.count) {
        arrived = 0
        message.payload = await step(message.payload)
        send(message)
      }
      done()
    })
  })
  nodes.registerType('bench', 'end', function endNode(node) {
    nodes.createNode(this, node)
    this.on('input', ({ _msgid: id, payload }, _send, done) => {
      waiting.get(id)?.(payload)
      waiting.delete(id)
      done()
    })
  })
  await started

  let sent = 0
  const send = (first: string): Promise<unknown> =>
    new Promise((resolve) => {
      sent += 1
      waiting.set(String(sent), resolve)
      nodes.getNode(first).receive({ _msgid: String(sent), payload: 0 })
    })
  return {
    chain: (length) => send(`chain${length}-0`),
    fanOut: () => send('fan-first'),
    async stop() {
      await runtime.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function chainOf(length: number): Settings[] {
  const tab = `chain${length}`
  const steps = Array.from({ length }, (_, index) => ({
    id: `${tab}-${index}`,
    type: 'step',
    z: tab,
    wires: [[index + 1 < length ? `${tab}-${index + 1}` : `${tab}-end`]],
  }))
  return [{ id: tab, type: 'tab' }, ...steps, { id: `${tab}-end`, type: 'end', z: tab, wires: [] }]
}

function fanOutOf(width: number): Settings[] {
  const z = 'fan'
  const ids = Array.from({ length: width }, (_, index) => `fan-${index}`)
  return [
    { id: z, type: 'tab' },
    { id: 'fan-first', type: 'step', z, wires: [ids] },
    ...ids.map((id) => ({ id, type: 'step', z, wires: [['fan-last']] })),
    { id: 'fan-last', type: 'join', z, count: width, wires: [['fan-end']] },
    { id: 'fan-end', type: 'end', z, wires: [] },
  ]
}

/** Flows in memory; nothing is written. */
function storageOf(flows: readonly Settings[]): object {
  const nothing = async (): Promise<object> => ({})
  return {
    init: nothing,
    getFlows: async () => flows,
    saveFlows: nothing,
    getCredentials: nothing,
    saveCredentials: nothing,
    getSettings: nothing,
    saveSettings: nothing,
    getSessions: nothing,
    saveSessions: nothing,
    getLibraryEntry: nothing,
    saveLibraryEntry: nothing,
  }
}
