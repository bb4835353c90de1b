import { zipSync } from 'fflate'
import type { ShownFlow } from '../wire/flow-text.ts'
import { flowToText } from '../wire/flow-text.ts'
import { withoutApiKeys } from './graph-text.ts'

/** A zip of `NAME.json` files, one for each flow, API keys removed. */
export function zipFlows(flows: readonly ShownFlow[], now: Date, fsPath: boolean): Uint8Array {
  const entries = flows.map((flow) => ({
    name: `${flow.name}.json`,
    bytes: new TextEncoder().encode(flowToText(withoutKeys(flow), { fsPath })),
  }))
  return zipEntries(entries, now)
}

/** A flow without API keys in its graph. */
export function withoutKeys<F extends ShownFlow>(flow: F): F {
  return { ...flow, data: withoutApiKeys(flow.data) }
}

/** A zip; `/`, `\` and control characters in names become `_`, equal names get ` (2)`. */
export function zipEntries(
  entries: readonly { readonly name: string; readonly bytes: Uint8Array }[],
  now: Date,
): Uint8Array {
  const files = new Map<string, Uint8Array>()
  for (const { name, bytes } of entries) files.set(freeName(files, safeName(name)), bytes)
  return zipSync(Object.fromEntries(files), { mtime: now })
}

function safeName(name: string): string {
  // eslint-disable-next-line no-control-regex
  const safe = name.replaceAll(/[/\\\u0000-\u001f\u007f]/g, '_')
  return safe === '__proto__' ? '_proto_' : safe
}

function freeName(files: ReadonlyMap<string, unknown>, name: string): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
  let candidate = name
  for (let k = 2; files.has(candidate); k += 1) candidate = `${stem} (${k})${extension}`
  return candidate
}

/** `YYYYMMDD_HHMMSS`, UTC. */
export function fileStamp(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')
}
