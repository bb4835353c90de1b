import { describe, expect, test } from 'vitest'
import { builtinComponents } from '../../src/components.ts'
import { createRegistry, runFlow } from '../../src/graph.ts'
import type { ComponentServices } from '../../src/components/services.ts'
import { createMemoryServices } from '../../src/memory.ts'
import { fakeVendors } from './fake-vendors.ts'
import { hasStarters, prepared, starterNames, starterText, startersNote } from './newer-starters.ts'

const components = createRegistry(builtinComponents)
const VERSIONS = ['1.8.4', '1.9.6', '1.10.3', '1.11.6', '1.12.8', '1.13.0']
const KEYS = new Map([
  ['OPENAI_API_KEY', 'sk-model-key'],
  ['VENDOR_KEY', 'vendor-key-1'],
])

function services(): ComponentServices {
  const base = createMemoryServices({
    knowledge: { knowledge: { model: 'text-embedding-3-small', apiKey: 'sk-model-key' } },
  })
  return {
    ...base,
    fetch: fakeVendors().fetch,
    variables: { get: async (name) => KEYS.get(name) ?? null },
    files: {
      read: async () => new TextEncoder().encode('Some notes.\n\nTwo paragraphs of notes.'),
      write: async (path) => path,
      list: async () => ['notes.txt'],
    },
  }
}

async function outcome(version: string, name: string): Promise<string> {
  const flow = prepared(starterText(version, name))
  const run = runFlow(flow, {
    components,
    services: services(),
    input: { value: 'What is this about?' },
    sessionId: 'session-1',
    userId: 'user-1',
    flowId: 'flow-1',
  })
  try {
    const result = await run.result
    return result.status === 'succeeded' ? 'runs' : (result.error?.detail ?? result.status)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe.skipIf(!hasStarters)(`starter flows of newer versions${startersNote}`, () => {
  test.for(VERSIONS)('measure %s', { timeout: 120_000 }, async (version) => {
    const results: Record<string, string> = {}
    for (const name of starterNames(version)) results[name] = await outcome(version, name)
    const bad = Object.entries(results).filter(([, text]) => text !== 'runs')
    console.log(
      version,
      Object.keys(results).length - bad.length,
      'of',
      Object.keys(results).length,
    )
    console.log(bad.map(([n, t]) => `   ${n}: ${t.slice(0, 300)}`).join('\n'))
    expect(results).toBeDefined()
  })
})
