import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { z } from 'zod'

/** Recorded material beside the checkout; the project tests itself without it. */
const folder = fileURLToPath(new URL('../../../../../shared/golden/', import.meta.url))

export const hasGolden = existsSync(folder)
export const skipNote = hasGolden ? '' : ' (skipped: no recorded flows beside the checkout)'

export function flowNames(under = ''): string[] {
  if (!hasGolden) return []
  return readdirSync(`${folder}flows/${under}`)
    .filter((name) => name.endsWith('.json') && name !== 'starter-runs.json')
    .map((name) => under + name.slice(0, -'.json'.length))
}

/** A flow, with the address of the model service put in. */
export function readFlow(name: string, llm = 'http://127.0.0.1:9/v1'): unknown {
  const text = readFileSync(`${folder}flows/${name}.json`, 'utf8')
  return JSON.parse(text.replaceAll('{{fake_llm}}', llm))
}

export interface FakeLlm {
  readonly url: string
  readonly requests: { path: string; body: Record<string, unknown> }[]
  close(): Promise<void>
}

export async function startLlm(): Promise<FakeLlm> {
  const module: unknown = await import(pathToFileURL(`${folder}fake-llm.mjs`).href)
  const { startFakeLlm } = module as { startFakeLlm: () => Promise<FakeLlm> }
  return startFakeLlm()
}

const StarterRun = z.object({
  flow: z.string(),
  request: z.object({
    input_value: z.string(),
    input_type: z.enum(['chat', 'text', 'any']).optional(),
    output_type: z.enum(['chat', 'text', 'any', 'debug']).optional(),
    session_id: z.string().optional(),
    tweaks: z.record(z.string(), z.unknown()).optional(),
  }),
  status: z.number(),
  outputs: z.array(z.record(z.string(), z.unknown())).optional(),
  error: z.unknown().optional(),
  message: z.string().optional(),
  model_requests: z.array(z.record(z.string(), z.unknown())).optional(),
})

export type StarterRun = z.infer<typeof StarterRun>

export function starterRuns(): StarterRun[] {
  if (!hasGolden) return []
  const text = readFileSync(`${folder}flows/starter-runs.json`, 'utf8')
  return z.object({ runs: z.array(StarterRun) }).parse(JSON.parse(text)).runs
}
