import { createSystemRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import type { Component } from '../../src/components/define/component.ts'
import { isComponent } from '../../src/components/define/define.ts'
import { createCodeRunner } from '../../src/node/code-runner.ts'
import { testComponent } from '../../src/testing/test-component.ts'

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

describe('code that is run (FE-44)', () => {
  test('FE-44, AB-76: by default evaluating has 5 seconds, an output 30', async () => {
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

  test('FE-44: by default it has 64 MiB', async () => {
    const filling = (megabytes: number) =>
      `const all = []; for (let i = 0; i < ${megabytes}; i += 1) all.push(new Uint8Array(1048576))\n${routing}`
    expect((await load(filling(40))).type).toBe('Routing')
    await expect(load(filling(70))).rejects.toThrow('memory limit')
  })

  test('FE-44: it is prepared before each output, and its decisions are those of the vertex', async () => {
    const { branches } = await testComponent(await load(routing), { output: 'right' })
    expect(branches).toEqual([
      ['stop', 'left'],
      ['exclude', 'right'],
    ])
  })

  test('FE-44: objects of the host stay outside', async () => {
    const { value } = await testComponent(await load(routing), {
      output: 'left',
      inputs: { big: { call: () => 'host', number: 10n, text: 'kept' } },
    })
    expect(value).toBe('{"call":null,"number":null,"text":"kept"}')
  })

  test('FE-44: a kind of field that there is not is refused, whatever objects inherit', async () => {
    const odd = routing.replace('field.handle', 'field.toString')
    await expect(load(odd)).rejects.toThrow('The input big has no such kind: toString')
  })

  test('FE-44: modules are those that are offered, whatever objects inherit', async () => {
    await expect(load("import a from 'toString'\nexport default a")).rejects.toThrow('toString')
  })
})
