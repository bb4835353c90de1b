/** Start and end of a part of the snapshot, in bytes; multiples of a 4,096-byte page. */
export type SnapshotPart = readonly [from: number, to: number]

/** Start message for an interpreter's worker. */
export interface WorkerStart {
  readonly realm: string
  readonly asm: string
  readonly asmCache: Uint8Array | undefined
  /** The compiled WebAssembly module of the interpreter. */
  readonly module: object
  /** Files by name: `stdlib`, `prepare`, `main`, `snapshot`. */
  readonly files: Readonly<Record<string, Uint8Array>>
  /** The non-empty parts of the snapshot, in order. */
  readonly parts: readonly SnapshotPart[]
  /** Input that can be read once while the snapshot is made. */
  readonly input: string
  /** Counts the answers sent; the worker waits on it with Atomics. */
  readonly signal: SharedArrayBuffer
  readonly limits: {
    readonly make: boolean
    readonly outputBytes: number
    /** Limits on the questions and notices of one job: their number and total size. */
    readonly messages: number
    readonly messageBytes: number
  }
}

/** A message from the worker: the first letter is its kind, the rest is JSON. */
export type WorkerMessage =
  | { readonly kind: 'ready' | 'ended' | 'failed' | 'exhausted' | 'tooLarge' }
  | { readonly kind: 'result' | 'call' | 'notice'; readonly value: Record<string, unknown> }

const PLAIN = {
  ready: 'ready',
  e: 'ended',
  f: 'failed',
  m: 'exhausted',
  x: 'tooLarge',
} as const
const MARKS = { r: 'result', c: 'call', n: 'notice' } as const

/** Parses a message from the worker; undefined if malformed. */
export function readWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== 'string') return undefined
  if (Object.hasOwn(PLAIN, message)) return { kind: PLAIN[message as keyof typeof PLAIN] }
  const mark = message.slice(0, 1)
  if (!Object.hasOwn(MARKS, mark)) return undefined
  const value = parse(message.slice(1))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return { kind: MARKS[mark as keyof typeof MARKS], value: value as Record<string, unknown> }
}

/** Python writes NaN and infinities to JSON; they are read as null. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
