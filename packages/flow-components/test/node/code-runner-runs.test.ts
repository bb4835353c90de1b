import { createSystemRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { type Component, isComponent } from '@x/flow-engine'
import { createCodeRunner } from '../../src/node/code-runner.ts'
import { testComponent } from '@x/flow-engine/testing'

const never = new AbortController().signal

async function load(code: string, options = {}): Promise<Component> {
  const component = await createCodeRunner(options).load(code, { signal: never })
  if (!isComponent(component)) throw new Error('no component')
  return component
}

const routing = `
import { defineComponent, field, output } from '@x/flow-engine'
export default defineComponent({
  type: 'Routing',
  inputs: { big: field.handle({ types: ['Data'] }) },
  prepare(inputs, ctx) { ctx.stop('left'); ctx.exclude('right'); ctx.include('right') },
  outputs: {
    left: output.any({ types: ['Data'], run: ({ big }) => JSON.stringify(big) }),
    right: output.any({ types: ['Data'], run: () => 'r' }),
  },
})
`

describe('running custom code (FE-44)', () => {
  test('FE-44, AB-76: by default evaluation has 5 seconds and an output 30', async () => {
    const waits: number[] = []
    const system = createSystemRuntime()
    const runtime = {
      ...system,
      sleep(ms: number, signal?: AbortSignal) {
        waits.push(ms)
        return system.sleep(ms, signal)
      },
    }
    const component = await load(routing, { runtime })
    await testComponent(component, { inputs: { big: 1 }, output: 'left' })
    expect(waits).toEqual([5_000, 30_000])
  })

  test('FE-44: the default memory limit is 64 MiB', async () => {
    const filling = (megabytes: number) =>
      `const all = []; for (let i = 0; i < ${megabytes}; i += 1) all.push(new Uint8Array(1048576))\n${routing}`
    expect((await load(filling(40))).type).toBe('Routing')
    await expect(load(filling(70))).rejects.toThrow('memory limit')
  })

  test('FE-44: prepare runs before each output, and its branch decisions apply to the vertex', async () => {
    const { branches } = await testComponent(await load(routing), { output: 'right' })
    expect(branches).toEqual([
      ['stop', 'left'],
      ['exclude', 'right'],
    ])
  })

  test('FE-44: functions and bigints of the host are passed as null', async () => {
    const { value } = await testComponent(await load(routing), {
      output: 'left',
      inputs: { big: { call: () => 'host', number: 10n, text: 'kept' } },
    })
    expect(value).toBe('{"call":null,"number":null,"text":"kept"}')
  })

  test('FE-44: an unknown kind of field is refused, even when its name is inherited from Object', async () => {
    const odd = routing.replace('field.handle', 'field.toString')
    await expect(load(odd)).rejects.toThrow('The input big has no such kind: toString')
  })

  test('FE-44: only offered modules can be imported, even when a name is inherited from Object', async () => {
    await expect(load("import a from 'toString'\nexport default a")).rejects.toThrow('toString')
  })
})
