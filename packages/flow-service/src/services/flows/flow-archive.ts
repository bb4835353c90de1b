import { eventLoopTurn } from '@x/wire'
import { deflateSync, Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import { iterateStream as readStream } from '@x/wire'
import type { ShownFlow } from './flow-text.ts'
import { flowToText } from './flow-text.ts'

/** A zip of `NAME.json` files, one per flow. */
export function zipFlows(
  flows: AsyncIterable<ShownFlow>,
  now: Date,
  fsPath: boolean,
): ReadableStream<Uint8Array> {
  async function* entries() {
    for await (const flow of flows) {
      const text = flowToText(flow, { fsPath })
      yield { name: `${flow.name}.json`, body: new TextEncoder().encode(text) }
    }
  }
  return zipStream(entries(), now)
}

/** Bytes compressed before other requests get a turn. */
const TURN = 128 * 1024
/** Overhead of an entry, in bytes. */
const ENTRY = 16 * 1024

/** An entry of a zip. */
interface ZipEntry {
  readonly name: string
  readonly body: Uint8Array | ReadableStream<Uint8Array>
}

type ZipEntries = Iterable<ZipEntry> | AsyncIterable<ZipEntry>

/**
 * Creates a zip while it is read. `/`, `\` and control characters in names become `_`; duplicate names get
 * ` (2)`. Other requests get a turn between entries and between parts of a large entry.
 */
export function zipStream(entries: ZipEntries, now: Date): ReadableStream<Uint8Array> {
  const pieces = zipPieces(entries, now)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* zipPieces(entries: ZipEntries, now: Date): AsyncGenerator<Uint8Array, void> {
  const pieces: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error
    pieces.push(piece)
  })
  const nameFor = createNames()
  let done = 0
  for await (const { name, body } of entries) {
    const title = nameFor(safeName(name))
    const isSmall = body instanceof Uint8Array && body.length <= TURN
    const entry = isSmall ? new SmallEntry(title) : new ZipDeflate(title)
    entry.mtime = now
    zip.add(entry)
    done += ENTRY
    for await (const part of body instanceof Uint8Array ? partsOf(body) : readStream(body)) {
      entry.push(part, isSmall)
      done += part.length
      yield* pieces.splice(0)
      if (done < TURN) continue
      done = 0
      await eventLoopTurn()
    }
    if (!isSmall) entry.push(new Uint8Array(), true)
  }
  zip.end()
  yield* pieces
}

/** The parts of an entry; one empty part if it has no bytes. */
function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at === 0 || at < bytes.length; at += TURN) yield bytes.subarray(at, at + TURN)
}

/** An entry compressed in one step, which costs half as much as several. */
class SmallEntry extends ZipPassThrough {
  override compression = 8

  protected override process(bytes: Uint8Array, isLast: boolean): void {
    this.ondata(null, deflateSync(bytes), isLast)
  }
}

function safeName(name: string): string {
  // eslint-disable-next-line no-control-regex
  const safe = name.replaceAll(/[/\\\u0000-\u001f\u007f]/g, '_')
  return safe === '__proto__' ? '_proto_' : safe
}

/**
 * Makes names unique: the second one gets ` (2)`, also if it differs in case only, because many file systems
 * would overwrite the first. Thousands of equal names do not each count from 2.
 */
function createNames(): (name: string) => string {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  const folded = (name: string): string => name.normalize('NFC').toLowerCase()
  return (name) => {
    const dot = name.lastIndexOf('.')
    const [stem, extension] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
    let candidate = name
    let count = counts.get(folded(name)) ?? 1
    while (taken.has(folded(candidate))) {
      count += 1
      candidate = `${stem} (${count})${extension}`
    }
    counts.set(folded(name), count)
    taken.add(folded(candidate))
    return candidate
  }
}

/** `YYYYMMDD_HHMMSS`, UTC. */
export function fileStamp(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')
}
