import { describe, expect, test } from 'vitest'
import { createMemoryServices } from './services.ts'

const scope = { flowId: 'f', userId: 'ann' }

describe('createMemoryServices', () => {
  test('files given as strings or bytes are read, listed and replaced', async () => {
    const { files } = createMemoryServices({ files: { 'a/x.txt': 'one', b: Uint8Array.of(1) } })
    await files.write('a/y.txt', new TextEncoder().encode('two'), scope)

    expect(await files.list('a/', scope)).toEqual(['a/x.txt', 'a/y.txt'])
    expect(new TextDecoder().decode((await files.read('a/x.txt', scope)) ?? undefined)).toBe('one')
    expect(await files.read('constructor', scope)).toBeNull()
  })

  test('changing a value that was read does not change the stored one', async () => {
    const { files } = createMemoryServices({ files: { a: Uint8Array.of(1) } })
    const bytes = await files.read('a', scope)
    bytes?.fill(9)
    expect(await files.read('a', scope)).toEqual(Uint8Array.of(1))
  })

  test('variables and flows are found by name, flows by id too', async () => {
    const flow = { id: 'flow-1', name: 'Greeter', nodes: [], edges: [] }
    const { variables, flows } = createMemoryServices({
      variables: { KEY: 'secret' },
      flows: { greeter: flow },
    })
    expect(await variables?.get('KEY', scope)).toBe('secret')
    expect(await variables?.get('toString', scope)).toBeNull()
    for (const name of ['greeter', 'flow-1', 'Greeter']) {
      expect(await flows?.get(name, {})).toBe(flow)
    }
    expect(await flows?.get('none', {})).toBeNull()
  })

  test('vectors are stored under their name, in a separate store for each user', async () => {
    const { vectors } = createMemoryServices()
    const row = { id: '1', text: 't', vector: [1], metadata: {} }
    await (await vectors?.open('index', scope))?.add([row])

    expect(await (await vectors?.open('index', scope))?.all()).toEqual([row])
    expect(await (await vectors?.open('index', { flowId: 'f', userId: 'bob' }))?.all()).toEqual([])
  })
})
