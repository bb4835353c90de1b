import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { type Component, isComponent } from '@x/flow-engine'
import { createMessage } from '@x/flow-engine'
import { createCodeRunner } from '../../src/node/code-runner.ts'
import { testComponent } from '@x/flow-engine/testing'

const signal = new AbortController().signal
const runner = createCodeRunner({ components: builtinComponents })

async function load(code: string): Promise<Component> {
  const component = await runner.load(code, { signal })
  if (!isComponent(component)) throw new Error('no component')
  return component
}

const shout = `
import { defineComponent, field, output, createMessage } from '@x/flow-engine'
interface Unused { readonly a: string }
export default defineComponent({
  type: 'Shout', displayName: 'Shout',
  inputs: { text: field.message({ displayName: 'Text' }), times: field.int({ default: 2 }) },
  outputs: {
    result: output.message({ displayName: 'Result', run: async ({ text, times }, ctx) => {
      ctx.status('done')
      return createMessage((text.text as string).toUpperCase().repeat(times))
    } }),
  },
})
`

describe('createCodeRunner', () => {
  test('FE-44 runs a component written in TypeScript', async () => {
    const component = await load(shout)
    expect(component).toMatchObject({ type: 'Shout', displayName: 'Shout' })
    const result = await testComponent(component, { inputs: { text: createMessage('ab') } })
    expect(result.outputs['result']).toMatchObject({ kind: 'message', text: 'ABAB' })
    expect(result.status).toBe('done')
  })

  test.each(['@x/flow-engine/components', '@x/flow-components'])(
    'a built-in component can be exported again from %s',
    async (entry) => {
      const component = await load(`export { chatInput as default } from '${entry}'`)
      expect(component.type).toBe('ChatInput')
    },
  )

  test.each(['@x/flow-engine', '@x/flow-engine/graph', '@x/flow-engine/components'])(
    'H3-24: stored code that imports %s runs as before',
    async (entry) => {
      const stored = shout.replaceAll(/from '@x\/[^']*'/g, `from '${entry}'`)
      expect(stored).toContain(entry)
      const result = await testComponent(await load(stored), {
        inputs: { text: createMessage('ab') },
      })
      expect(result.outputs['result']).toMatchObject({ text: 'ABAB' })
    },
  )

  test.each([
    ['export const a = 1', 'default export'],
    ["import fs from 'node:fs'\nexport default 1", 'node:fs'],
    ["throw new Error('boom')", 'boom'],
    ['export const a = (', 'line 1'],
    ['await new Promise(() => {})', 'never comes'],
    ["await import('node:child_process')", 'child_process'],
  ])('FE-44 refuses %j', async (code, text) => {
    await expect(runner.load(code, { signal })).rejects.toThrow(text)
  })

  test('FE-44 code has no ambient authority', async () => {
    const names = [
      'process',
      'require',
      'fetch',
      'globalThis.constructor.constructor("return process")()',
    ]
    for (const name of names.slice(0, 3)) {
      await expect(load(`throw new Error(typeof ${name})`)).rejects.toThrow('undefined')
    }
    await expect(load(`${names[3]}`)).rejects.toThrow(/process/)
  })

  test('FE-44 stops code that never ends and code that exhausts memory', async () => {
    const short = createCodeRunner({ timeoutMs: 300 })
    await expect(short.load('while (true) {}', { signal })).rejects.toThrow('time limit')
    const hungry = 'const all = []; while (true) all.push(new Uint8Array(1024 * 1024))'
    const small = createCodeRunner({ memoryBytes: 24 * 1024 * 1024 })
    await expect(small.load(hungry, { signal })).rejects.toThrow('memory limit')
  })

  test('a cancelled run is stopped', async () => {
    const stop = new AbortController()
    const loading = runner.load('while (true) {}', { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(loading).rejects.toThrow('enough')
  })
})
