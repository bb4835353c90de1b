import { createJsonLinesParser, type SurfaceStore, type SurfaceStoreV09 } from '@x/surface-protocol'

const CHUNK = 65_536

type Store = SurfaceStore | SurfaceStoreV09

/** The lines as bytes, in pieces of 64 KiB. */
export function chunksOf(lines: readonly string[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`)
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(bytes.subarray(at, at + CHUNK))
  return chunks
}

/** The bound of each comparison: only parses the lines. */
export function parseAll(lines: readonly string[]): unknown {
  let last: unknown
  for (const line of lines) last = JSON.parse(line)
  return last
}

/** Parses and applies each line. @throws Error if the store refuses one */
export function applyLines(store: Store, lines: readonly string[]): void {
  for (const line of lines) {
    const { applied, diagnostics } = store.apply(JSON.parse(line))
    if (!applied) throw new Error(`Refused: ${JSON.stringify(diagnostics[0])}`)
  }
}

/** Decodes and applies the lines of the chunks. */
export function applyChunks(store: Store, chunks: readonly Uint8Array[]): void {
  const parser = createJsonLinesParser()
  for (const chunk of chunks) for (const { value } of parser.push(chunk)) store.apply(value)
  for (const { value } of parser.end()) store.apply(value)
}
