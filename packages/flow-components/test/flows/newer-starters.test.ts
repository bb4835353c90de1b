import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { checkFlow, createRegistry, runFlow } from '@x/flow-engine'
import type { ComponentServices } from '@x/flow-engine'
import { createMemoryBases, createMemoryServices } from '@x/flow-engine/memory'
import { fakeVendors } from '../../../flow-engine/test/flows/fake-vendors.ts'
import {
  hasStarters,
  prepared,
  starterNames,
  starterText,
  startersNote,
} from '../../../flow-engine/test/flows/newer-starters.ts'

const components = createRegistry(builtinComponents)
const YOUTUBE = 'Youtube Analysis'
const REMIX = 'Nvidia Remix'
const PYTHON = 'Structured Data Analysis Agent'

/** The starters that are refused by name; all others run whole. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  '1.7.1': [REMIX, YOUTUBE],
  '1.8.4': [REMIX, YOUTUBE],
  '1.9.6': [REMIX, YOUTUBE],
  '1.10.3': [REMIX, PYTHON, YOUTUBE],
  '1.11.6': [PYTHON, YOUTUBE],
  '1.12.8': [],
  '1.13.0': [],
}
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
    memories: createMemoryBases(),
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
  test.for(Object.entries(REFUSED))(
    'NX-50: every starter of %s runs completely or is refused by name',

    async ([version, refused]) => {
      const names = starterNames(version)
      if (names.length === 0) return
      const failed: Record<string, string> = {}
      for (const name of names) {
        const text = await outcome(version, name)
        if (text !== 'runs') failed[name] = text
      }
      const others = Object.entries(failed).filter(([name]) => !refused.includes(name))
      expect(others).toEqual([])
      for (const name of refused) expect(failed[name]).toMatch(/^Unknown component types: /)
    },
  )

  test.for(Object.keys(REFUSED))(
    'NX-3: checking the starters of %s does not modify them',
    (version) => {
      for (const name of starterNames(version)) {
        const text = starterText(version, name)
        const flow: unknown = JSON.parse(text)
        checkFlow(flow, { components })
        expect(JSON.stringify(flow)).toBe(JSON.stringify(JSON.parse(text)))
      }
    },
  )
})
