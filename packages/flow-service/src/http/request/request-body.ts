import {
  bodyFailure,
  BodyTooLargeError,
  isBodyTooLarge,
  readBody,
  readStream,
  type Runtime,
} from '@x/wire'
import { invalid, refuse, type Refusal, type ValidationElement } from '../../refusal.ts'
import type { BlobStage } from '../../store/blob-store.ts'
import { UNCOUNTED, type HeldBody } from './body-memory-limit.ts'
import { findPart, MalformedForm, type FoundPart } from './multipart.ts'
import { withinFrame } from './multipart-boundary.ts'

const KB = 1024
const MB = 1024 * KB
/** Maximum bytes of a rejected body that are drained. */
const DISCARDED = 16 * MB
/** A rejected body that stalls for this long is answered immediately. */
const QUIET_MS = 500
/** A rejected body that keeps arriving is answered after this time. */
const MAX_MS_LENGTH = 30_000

/** A file of a multipart body. */
export interface UploadedFile {
  /** As the client sent it. */
  readonly name: string
  /** Empty if the bytes are in the stage. */
  readonly bytes: Uint8Array
  /** Discarded by the code that stores the file. */
  readonly stage?: BlobStage
}

/** How the file of a form is read. */
export interface UploadOptions {
  /** Opens a stage for the bytes. Default: in memory. */
  readonly stage?: (() => Promise<BlobStage>) | undefined
  /** Reject content before and after the form. */
  readonly framed?: boolean
}

type Clock = Pick<Runtime, 'now' | 'sleep'>

/** The body of a request, read at most once and with a size limit. */
export interface RequestBody {
  readonly contentType: string
  bytes(): Promise<Uint8Array>
  /** @throws Refusal 400 if the bytes are not UTF-8 */
  text(): Promise<string>
  /**
   * Fields and files; empty if the body is not a form.
   * @throws Refusal 400 if it claims to be one
   */
  form(): Promise<FormData>
  /**
   * Streams the last part `file` of a multipart body; null if the body is not such a form.
   * @throws Refusal 400 if it claims to be one
   */
  filePart(options?: UploadOptions): Promise<FoundPart>
  /**
   * The bytes, for an operation with a limit and refusals of its own.
   * @throws BodyTooLargeError beyond so many bytes
   */
  within(most: number): Promise<Uint8Array>
}

/** Memory of a text body as a multiple of its bytes: string, parsed value, and a response that repeats it. */
const MEMORY_OF_TEXT = 4

/** Checks of a body while it is read. */
export interface Arrival {
  /** Counts the bytes that are kept in memory. */
  readonly held: HeldBody
  /** Called when all of it was read; rejects if its sender is no longer authorised. */
  readonly arrived: () => Promise<void>
}

/**
 * Wraps the body of a request.
 * @param limit bytes; a larger announced length is rejected when the body is first read
 * @throws Refusal 413, from each of the reading functions; and those of `arrival`
 */
export function createRequestBody(
  request: Request,
  limit: number,
  { held, arrived }: Arrival,
): RequestBody {
  const contentType = request.headers.get('content-type') ?? ''
  let read: Promise<Uint8Array> | undefined
  let part: Promise<FoundPart> | undefined
  const within = async (most: number): Promise<Uint8Array> => {
    const length = announcedLength(request)
    // Announcing a length costs a client nothing, so longer bodies count as they arrive.
    const isCounted = length === null || (length > UNCOUNTED && length <= most)
    const whole = isCounted
      ? await readStream(bounded(request, most, held), most)
      : await readBody(request, most)
    await arrived()
    return whole
  }
  const bytes = (): Promise<Uint8Array> =>
    (read ??= within(limit).catch((error: unknown) => {
      throw isBodyTooLarge(error) ? tooLarge(error.limit, error.size ?? error.limit) : error
    }))
  const findFile = async ({ stage: open, framed = false }: UploadOptions): Promise<FoundPart> => {
    if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) return null
    const length = announcedLength(request) ?? 0
    const inMemory = open === undefined ? held : undefined
    try {
      const chunks = read === undefined ? bounded(request, limit, inMemory) : once(read)
      const found = await findPart(framed ? withinFrame(chunks, contentType) : chunks, {
        contentType,
        name: 'file',
        length,
        open,
      })
      await arrived().catch(async (error: unknown) => {
        await found?.stage?.discard()
        throw error
      })
      return found
    } catch (error) {
      if (isBodyTooLarge(error)) throw tooLarge(error.limit, error.size ?? error.limit)
      // The runtime's form parser throws TypeErrors.
      if (error instanceof MalformedForm || error instanceof TypeError) {
        throw refuse(400, 'The form cannot be read', { cause: error })
      }
      throw error
    }
  }
  return {
    contentType,
    bytes,
    within,
    filePart: (options = {}) => (part ??= findFile(options)),
    async text() {
      const whole = await bytes()
      held.hold(whole.length * MEMORY_OF_TEXT)
      return decode(whole)
    },
    async form() {
      const body = await bytes()
      if (
        !/^(multipart\/form-data|application\/x-www-form-urlencoded)\s*(;|$)/i.test(contentType)
      ) {
        return new FormData()
      }
      try {
        const headers = { 'content-type': contentType }
        return await new Response(body, { headers }).formData()
      } catch {
        throw refuse(400, 'The form cannot be read')
      }
    },
  }
}

async function* once(bytes: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await bytes
}

/** Null for a body whose length is not announced. */
function announcedLength(request: Request): number | null {
  const header = request.headers.get('content-length')
  return header === null ? null : Number(header) || 0
}

/** The chunks of a body, at most `limit` bytes. */
async function* bounded(
  request: Request,
  limit: number,
  held: HeldBody | undefined,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunksOf(request)) {
    size += chunk.length
    if (size > limit) throw new BodyTooLargeError(limit, size)
    held?.hold(size)
    yield chunk
  }
}

/** @throws BodyRefusedError if the host ended the body with a status */
async function* chunksOf({ body }: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* (body ?? []) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw bodyFailure(error)
  }
}

/**
 * Rejects by announced length, before any of the body is read. A body that is not much too large
 * is drained first, as long as it keeps arriving, because a client that is still sending would not see
 * the response.
 * @throws Refusal 413
 */
export async function checkAnnouncedLength(
  request: Request,
  limit: number,
  runtime: Clock,
): Promise<void> {
  const length = await discardTooLarge(request, limit, runtime)
  if (length !== undefined) throw tooLarge(limit, length)
}

/** The announced length of a body that is too large and is read no further; undefined for others. */
export async function discardTooLarge(
  request: Request,
  limit: number,
  runtime: Clock,
): Promise<number | undefined> {
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length <= limit) return undefined
  if (length <= DISCARDED) await discard(request, runtime)
  return length
}

/** Drains a body until it ends or stalls. */
async function discard(request: Request, runtime: Clock): Promise<void> {
  const reader = request.body?.getReader()
  if (reader === undefined) return
  const end = runtime.now().getTime() + MAX_MS_LENGTH
  let size = 0
  try {
    while (size <= DISCARDED && runtime.now().getTime() < end) {
      const next = await soon(reader.read(), runtime)
      if (next === undefined || next.done) return
      size += next.value.length
    }
  } catch {
    // The client disconnected, so no response is needed.
  } finally {
    reader.releaseLock()
  }
}

/** The value of a promise; undefined if it takes longer than `QUIET_MS`. */
async function soon<T>(promise: Promise<T>, runtime: Clock): Promise<T | undefined> {
  const waiting = new AbortController()
  const quiet = runtime.sleep(QUIET_MS, waiting.signal).catch(() => undefined)
  try {
    return await Promise.race([promise, quiet.then(() => undefined)])
  } finally {
    waiting.abort()
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse(400, 'The body is not valid UTF-8')
  }
}

/** True for JSON content types. */
export function isJsonType(contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || /^[^/\s]+\/[^/\s]+\+json$/.test(type)
}

/**
 * The part `file`, which must be a file.
 * @throws Refusal 422
 */
export async function readUpload(
  body: RequestBody,
  options?: UploadOptions,
): Promise<UploadedFile> {
  const part = await body.filePart(options)
  const problem = uploadProblem(part)
  if (part === null || problem !== null) throw invalid(problem === null ? [] : [problem])
  const { filename, bytes, stage } = part
  return { name: filename ?? '', bytes, ...(stage === undefined ? {} : { stage }) }
}

/** Validates the part `file`; empty if it is a file. */
export async function uploadProblems(body: RequestBody): Promise<ValidationElement[]> {
  const problem = uploadProblem(await body.filePart({ stage: nowhere }))
  return problem === null ? [] : [problem]
}

/** A stage that discards everything, for rejected requests. */
async function nowhere(): Promise<BlobStage> {
  return {
    size: 0,
    write: async () => undefined,
    create: async () => false,
    discard: async () => undefined,
  }
}

function uploadProblem(part: FoundPart): ValidationElement | null {
  const element = { loc: ['body', 'file'], input: null } as const
  if (part === null || part.filename === '') {
    return { type: 'missing', msg: 'Field required', ...element }
  }
  if (part.filename !== null) return null
  const msg = "Value error, Expected UploadFile, received: <class 'str'>"
  const input = new TextDecoder().decode(part.bytes)
  return { ...element, type: 'value_error', msg, input, ctx: { error: {} } }
}

/** In MB like the reference, or in KB if the limit is below 1 MB. */
function tooLarge(limit: number, size: number): Refusal {
  const [unit, bytes] = limit < MB ? ['KB', KB] : ['MB', MB]
  const shown = (value: number): string => `${Number((value / bytes).toFixed(3))}${unit}`
  return refuse(
    413,
    `Content size limit exceeded. Maximum allowed is ${shown(limit)} and got ${shown(size)}.`,
    { headers: { connection: 'close' } },
  )
}
