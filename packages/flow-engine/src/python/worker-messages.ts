/** Where a part of the snapshot begins and ends, in bytes: multiples of a page of 4,096. */
export type SnapshotPart = readonly [from: number, to: number]

/** The start message of an interpreter's worker. */
export interface WorkerStart {
  readonly realm: string
  readonly asm: string
  readonly asmCache: Uint8Array | undefined
  /** The compiled module of the interpreter. */
  readonly module: object
  /** By name: `stdlib`, `prepare`, `main`, `snapshot`. */
  readonly files: Readonly<Record<string, Uint8Array>>
  /** The parts of the snapshot that are not empty, in order. */
  readonly parts: readonly SnapshotPart[]
  /** Text that can be read once while the interpreter is made. */
  readonly input: string
  /** Counts the answers sent; the worker waits on it. */
  readonly signal: SharedArrayBuffer
  readonly limits: {
    readonly make: boolean
    readonly outputBytes: number
    /** Questions and notices of one job, and their bytes in all. */
    readonly messages: number
    readonly messageBytes: number
  }
}

/** A text the worker sent, by its first letter; the rest is JSON. */
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

/** Reads a message of the worker by its shape; undefined for anything else. */
export function readWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== 'string') return undefined
  if (Object.hasOwn(PLAIN, message)) return { kind: PLAIN[message as keyof typeof PLAIN] }
  const mark = message.slice(0, 1)
  if (!Object.hasOwn(MARKS, mark)) return undefined
  const value = parse(message.slice(1))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return { kind: MARKS[mark as keyof typeof MARKS], value: value as Record<string, unknown> }
}

/** Python writes NaN and infinities where it meets them; they are null here. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
