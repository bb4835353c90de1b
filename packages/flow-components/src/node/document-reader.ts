import { createSystemRuntime, modulePlace, type Runtime } from '@x/wire'
import {
  MAX_PAGES,
  MAX_TEXT,
  documentRefusals,
} from '../built-in/files-and-knowledge/document-limits.ts'
import type { DocumentReader } from '@x/flow-engine'
import { FlowError } from '@x/flow-engine'
import { READER_SOURCE } from './document-reader-source.ts'
import { createWorkerPool } from '@x/flow-engine/internal/node'

export interface DocumentReaderOptions {
  /** Maximum milliseconds per document. Default 30,000. */
  readonly timeoutMs?: number
  /** Concurrent documents, one thread each. Default 2. One user may use one fewer, at least 1. */
  readonly workers?: number
  /** Queued documents per user; further ones are rejected. Default 20. */
  readonly waitingPerUser?: number
  /** Maximum bytes per document, for values and for buffers separately. Default 256 MiB. */
  readonly memoryBytes?: number
  readonly runtime?: Runtime
}

export interface WorkerDocumentReader extends DocumentReader {
  /** Stops the workers; a later document starts new ones. */
  close(): Promise<void>
}

/**
 * Reads PDF documents and workbooks in worker threads, because a file of 50 KB can unpack to half a
 * minute of work. Users have separate queues that take turns. Workers start on first use and do not keep the
 * process alive.
 */
export function createDocumentReader(options: DocumentReaderOptions = {}): WorkerDocumentReader {
  const { timeoutMs = 30_000, workers = 2, waitingPerUser = 20 } = options
  const { memoryBytes = 256 * MIB, runtime = createSystemRuntime() } = options
  const pool = createWorkerPool<ReaderRequest, ReaderAnswer, unknown[][]>({
    source: READER_SOURCE,
    workerData: {
      base: modulePlace(import.meta.url),
      bufferBytes: memoryBytes,
      pages: MAX_PAGES,
      text: MAX_TEXT,
    },
    transfer: ({ bytes }) => [bytes.buffer],
    heapBytes: memoryBytes,
    timeoutMs,
    workers,
    waitingPerUser,
    runtime,
    what: 'Documents',
    tooMany: () => new FlowError('rate_limited', 'Too many documents are being read'),
    tooLong: (cause) =>
      new TypeError(`The document takes longer than ${timeoutMs / 1000} seconds to read`, {
        cause,
      }),
    outOfMemory: () =>
      new TypeError(`The document takes more than ${Math.ceil(memoryBytes / MIB)} MB to read`),
  })
  return {
    async pdf(bytes, caller) {
      const answer = await pool.ask(() => ({ kind: 'pdf', bytes: Uint8Array.from(bytes) }), caller)
      return checked(answer).text
    },
    async sheet(bytes, caller) {
      const rows: unknown[][] = []
      const request = (): ReaderRequest => ({ kind: 'sheet', bytes: Uint8Array.from(bytes) })
      const answer = await pool.ask(request, caller, (part) => {
        for (const row of part) rows.push(row)
      })
      checked(answer)
      return rows
    },
    close: () => pool.close(),
  }
}

const MIB = 1024 * 1024

interface ReaderRequest {
  readonly kind: 'pdf' | 'sheet'
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Rows of a sheet are sent in batches before it. */
type ReaderAnswer =
  | { readonly text: string }
  | { readonly over: keyof typeof documentRefusals }
  | { readonly problem: string }

/** @throws FlowError `limit_exceeded`; TypeError with the library's message */
function checked(answer: ReaderAnswer): { readonly text: string } {
  if ('over' in answer) throw documentRefusals[answer.over]()
  if ('problem' in answer) throw new TypeError(answer.problem)
  return answer
}
