// Runs each night (.ci/night).
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestRuntime } from '@x/wire'
import { createSandboxQueue } from '@x/flow-engine/node'
import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import { createRegistry, runFlow, type FlowJson, type RunEvent } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { componentOf, run, runText, testRunner } from './python-runs.ts'

const runner = testRunner({ memoryMb: 128, maxInterpreters: 2 })
const signal = new AbortController().signal
const GUIDE = new URL('../../../../docs/guides/python-components.md', import.meta.url)

/** A node with a text of its own, in front of a chat output. */
function spoken(body: string): FlowJson {
  const flow = flowBuilder('Speaks')
  const node = flow.add('TextInput', { id: 'Mine-1', displayName: 'Mine' })
  flow.connect(`${node}.text`, `${flow.add('ChatOutput', { id: 'ChatOutput-1' })}.input_value`)
  const json = flow.toJSON()
  for (const { data } of json.data?.nodes ?? []) {
    if (data.id !== node) continue
    const code = componentOf(body).replace('name="result"', 'name="text"')
    Object.assign(data.node.template.code ?? {}, { value: code })
    data.node.edited = true
    for (const output of data.node.outputs ?? []) output.method = 'work'
  }
  return json
}

/** The same as a node of another type. */
function spokenBy(type: string, body: string): FlowJson {
  return JSON.parse(JSON.stringify(spoken(body)).replaceAll('TextInput', type)) as FlowJson
}

async function speak(body: string): Promise<{ events: RunEvent[]; stored: { text: string }[] }> {
  const services = { ...createMemoryServices(), codeRunner: runner }
  const started = runFlow(spoken(body), {
    components: createRegistry(builtinComponents),
    services,
    sessionId: 'session',
    flowId: 'flow',
  })
  const events = await collectEvents(started)
  await started.result.catch(() => undefined)
  return { events, stored: (await services.messages?.list({ includeErrors: true })) ?? [] }
}

const CHUNKS = `def pieces():
    for part in ["one ", "two ", "three"]:
        yield part
return Message(text=pieces())`

test('NX-8: a type that is refused by name runs the Python of its node', async () => {
  const flow = spokenBy('YouTubeTranscripts', 'return Message(text="the transcript")')
  const components = createRegistry(builtinComponents)
  const { result } = runFlow(flow, { components, services: { codeRunner: runner } })
  expect((await result).text()).toBe('the transcript')
})

describe('streamed text', () => {
  test('PY-52: the pieces are tokens of one message, which is stored complete', async () => {
    const { events, stored } = await speak(CHUNKS)
    const tokens = events.filter(({ event }) => event === 'token')
    expect(tokens.map(({ data }) => (data as { chunk: string }).chunk)).toEqual([
      'one ',
      'two ',
      'three',
    ])
    const ids = new Set(tokens.map(({ data }) => (data as { id: string }).id))
    expect(ids.size).toBe(1)
    expect(stored.map(({ text }) => text)).toEqual(['one two three'])
  })

  test('PY-52: an asynchronous generator is streamed too', async () => {
    const body = CHUNKS.replace('def pieces', 'async def pieces')
    expect((await speak(body)).stored.map(({ text }) => text)).toEqual(['one two three'])
  })

  test('PY-52: the partial message is removed when the call fails', async () => {
    const body = CHUNKS.replace(
      '    for part',
      '    yield "begun"\n    raise ValueError("broke")\n    for part',
    )
    const { stored } = await speak(body)
    expect(stored.filter(({ text }) => text.includes('begun'))).toEqual([])
  })
})

describe('the runtime of a call', () => {
  const CHANCE = `import random, secrets, time, uuid
return [random.random(), str(uuid.uuid4()), secrets.token_hex(4), int(time.time())]`

  test('PY-56: random numbers, uuids and the clock follow the runtime', async () => {
    const start = new Date('2026-07-01T12:00:00Z')
    const made = async (): Promise<unknown> =>
      run(testRunner({ memoryMb: 128, warm: 0, runtime: createTestRuntime({ start }) }), CHANCE)
    const [first, second] = [await made(), await made()]
    expect(first).toEqual(second)
    expect((first as unknown[])[3]).toBe(start.getTime() / 1000)
    expect(await run(runner, CHANCE)).not.toEqual(await run(runner, CHANCE))
  })

  test('PY-57: sets have the same order in every interpreter', async () => {
    const body = 'return str({"a", "b", "c", "delta", "echo", "foxtrot"})'
    const fresh = testRunner({ memoryMb: 128, warm: 0, modules: { other_memory: 'x = 1' } })
    expect(await run(fresh, body)).toBe(await run(runner, body))
    expect(await run(runner, 'import os\nreturn os.environ.get("PYTHONHASHSEED")')).toBeNull()
  })
})

describe('a class and its node', () => {
  const load = async (code: string, node?: object): Promise<Component> =>
    (await runner.load(code, {
      signal,
      ...(node === undefined ? {} : { node: node as never }),
    })) as never

  test('PY-51: the template and outputs of the node apply; its additional fields are attributes', async () => {
    const code = componentOf('return self.added')
    expect(await runText(runner, code, { values: { added: 'by the editor' } })).toBe(
      'by the editor',
    )
    const node = {
      template: {},
      outputs: [{ name: 'other', display_name: 'Other', method: 'work' }],
    }
    expect(Object.keys((await load(code, node)).outputs)).toEqual(['other'])
  })

  test('PY-55: a node is run again after a crash only when its class allows it', async () => {
    const code = componentOf('return 1')
    const says = code.replace(
      'display_name = "Mine"',
      'display_name = "Mine"\n    idempotent = True',
    )
    const node = { template: {}, outputs: [{ name: 'result', method: 'work' }] }
    expect([(await load(code)).idempotent, (await load(code, node)).idempotent]).toEqual([
      false,
      false,
    ])
    expect([(await load(says)).idempotent, (await load(says, node)).idempotent]).toEqual([
      true,
      true,
    ])
  })

  test('PY-55: the signal ends a call; questions and sleep of the host are not available', async () => {
    const controller = new AbortController()
    const running = run(runner, 'while True: pass', { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('lost the lease')), 500)
    await expect(running).rejects.toThrow('lost the lease')
    await expect(run(runner, 'self.sleep(1)')).rejects.toThrow('sleep not found in Mine')
  })

  test('PY-55: the time limit of a vertex is paused while it waits for an interpreter', async () => {
    const places = createSandboxQueue({ concurrency: 1, perUser: 1 })
    let isWaiting = false
    let goOn = (): void => undefined
    const opened = new Promise<void>((resolve) => (goOn = resolve))
    const late = testRunner({
      memoryMb: 128,
      async queue(userId, ends, work) {
        isWaiting = true
        await opened
        return await places(userId, ends, work)
      },
    })
    const runtime = createTestRuntime()
    const timed = (body: string) =>
      runFlow(spoken(body), {
        components: createRegistry(builtinComponents),
        services: { ...createMemoryServices(), codeRunner: late },
        limits: { vertexTimeoutMs: 1000 },
        runtime,
      }).result
    const patient = timed('return Message(text="done")')
    await expect.poll(() => isWaiting).toBe(true)
    await runtime.advance(5000)
    goOn()
    expect((await patient).text()).toBe('done')

    // The place of the first call is free again: what is busy from here on is the second.
    await expect.poll(() => late.stats().busy, { timeout: 20_000 }).toBe(0)
    const endless = timed('while True: pass')
    await expect.poll(() => late.stats().busy, { timeout: 20_000 }).toBe(1)
    await runtime.advance(1000)
    expect((await endless).error?.detail).toBe('Component Mine timed out after 1000 ms')
  })

  test('PY-44: orders, options, table schemas and dates are kept as written in the code', async () => {
    const code = `from langflow.custom import Component
from langflow.io import *
class Mine(Component):
    field_order = ["b", "a"]
    inputs = [
        DropdownInput(name="a", options=["z", "a", "m"], value="z"),
        TableInput(name="b", table_schema=[{"name": "when", "display_name": "When", "type": "date"}], value=[{"when": "2026-07-01"}]),
        SecretStrInput(name="c", value="kept-as-sent"),
    ]
    outputs = [Output(name="result", method="work")]
    def work(self): return 1
`
    const { inputs } = await load(code)
    expect(Object.keys(inputs)).toEqual(['b', 'a', 'c'])
    expect(inputs['a']?.options.options).toEqual(['z', 'a', 'm'])
    expect(inputs['b']?.options.default).toEqual([{ when: '2026-07-01' }])
    expect(inputs['b']?.options.attributes?.['table_schema']).toMatchObject([
      { name: 'when', type: 'date' },
    ])
    expect(inputs['c']?.options.default).toBe('kept-as-sent')
  })

  test('PY-31: the error for a missing package names the built-in component that does the same', () => {
    expect(runner.missing?.('import openai\nclass A(Component): pass')).toContain(
      'Replace the node by Language Model.',
    )
    expect(runner.missing?.('import nobody_knows')).not.toContain('Replace the node')
  })
})

describe('the runner', () => {
  test('PY-1: numeric options have ranges, and stats count loaded classes', async () => {
    expect(() => testRunner({ memoryMb: 63 })).toThrow('memoryMb must be an integer from 64')
    const mine = testRunner({ memoryMb: 128 })
    expect(mine.stats()).toEqual({ warm: 0, busy: 0, waiting: 0, classes: 0 })
    await mine.load(componentOf('return 1'), { signal })
    await mine.load(componentOf('return 1'), { signal })
    expect(mine.stats().classes).toBe(1)
    expect([...(mine.languages ?? [])]).toEqual(['python'])
  })

  test(
    'PY-3 PY-60: a damaged, truncated or outdated snapshot is created again',
    { timeout: 600_000 },
    async () => {
      const cacheDir = await mkdtemp(join(tmpdir(), 'python-snapshot-'))
      const old = join(cacheDir, `python-${'0'.repeat(24)}.bin`)
      const answer = async (): Promise<unknown> => {
        const one = testRunner({ memoryMb: 128, cacheDir, warm: 0 })
        try {
          return await run(one, 'return 1')
        } finally {
          await one.close()
        }
      }
      try {
        await writeFile(old, 'of another version')
        expect(await answer()).toBe(1)
        const [name = '', ...others] = await readdir(cacheDir)
        expect(others).toEqual([])
        const path = join(cacheDir, name)
        const whole = await readFile(path)

        const damaged = Buffer.from(whole)
        damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 255
        for (const broken of [damaged, whole.subarray(0, 1000)]) {
          await writeFile(path, broken)
          expect(await answer()).toBe(1)
          const made = await readFile(path)
          expect(made.length).toBeGreaterThan(whole.length / 2)
          expect(made.equals(broken)).toBe(false)
        }
        expect(await readdir(cacheDir)).toEqual([name])
      } finally {
        await rm(cacheDir, { recursive: true, force: true })
      }
    },
  )

  test('PY-3: an eager runner starts its interpreter before the first call', async () => {
    const eager = testRunner({ memoryMb: 128, eager: true })
    await expect.poll(() => eager.stats().warm, { timeout: 20_000 }).toBe(1)
    expect(await run(eager, 'return 1')).toBe(1)
  })

  test('PY-2: runners that share a queue share one limit', async () => {
    const queue = createSandboxQueue({ concurrency: 1, perUser: 1 })
    const [one, other] = [
      testRunner({ memoryMb: 128, queue }),
      testRunner({ memoryMb: 128, queue }),
    ]
    const calls = [
      run(one, 'import time\ntime.sleep(0.3)\nreturn 1', { userId: 'ann' }),
      run(other, 'return 2', { userId: 'bob' }),
    ]
    await expect.poll(() => one.stats().busy + other.stats().busy, { timeout: 10_000 }).toBe(1)
    expect(other.stats().waiting + one.stats().waiting).toBe(1)
    expect(await Promise.all(calls)).toEqual([1, 2])
  })

  test('PY-62: the component of the guide behaves as documented', async () => {
    const [, code = ''] = /```python\n([\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? []
    const component = await load(code)
    expect(component.displayName).toBe('Repeat')
    const trace = { logs: [], stopped: [], status: undefined }
    const said = await runText(
      runner,
      code.replaceAll('"repeat"', '"work"').replace('def repeat', 'def work'),
      {
        values: { text: 'hi', times: 2 },
        trace,
      },
    )
    expect(said).toMatchObject({ text: 'hi hi' })
    expect(trace.status).toBe('2 times')
  })

  async function load(code: string): Promise<Component> {
    return (await runner.load(code, { signal })) as Component
  }
})
