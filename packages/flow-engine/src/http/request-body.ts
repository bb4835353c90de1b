import { isBodyTooLarge, readBody } from '@x/wire'
import { invalid, refuse, type Refusal, type ValidationElement } from '../services/refusal.ts'

const MB = 1024 * 1024
/** Bytes of a refused body that are let pass. */
const DISCARDED = 16 * MB

/** A file of a multipart body. */
export interface UploadedFile {
  /** As the client sent it. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** The body of one request, read at most once and bounded. */
export interface RequestBody {
  readonly contentType: string
  bytes(): Promise<Uint8Array>
  /** @throws Refusal 400 where the bytes are no UTF-8 */
  text(): Promise<string>
  /**
   * Fields and files; empty where the body is no form.
   * @throws Refusal 400 where it claims to be one
   */
  form(): Promise<FormData>
}

/** Limits of bodies, in MB; 0 = none. */
export interface BodyLimits {
  readonly body: number
  readonly json: number
}

/**
 * The body of a request. A length announced over the limit is refused when it is first read.
 * @throws Refusal 413, from each of the reading functions
 */
export function createRequestBody(request: Request, limits: BodyLimits): RequestBody {
  const contentType = request.headers.get('content-type') ?? ''
  const limit =
    isJson(contentType) && limits.json > 0 ? Math.min(limits.json, limits.body) : limits.body
  let read: Promise<Uint8Array> | undefined
  const bytes = (): Promise<Uint8Array> =>
    (read ??= readBody(request, limit * MB).catch((error: unknown) => {
      throw isBodyTooLarge(error) ? tooLarge(error.limit / MB, error.size ?? error.limit) : error
    }))
  return {
    contentType,
    bytes,
    text: async () => decode(await bytes()),
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

/**
 * Refuses by the announced length, before anything else is looked at. A body that is not too large
 * for it is let pass unread first: a client that is still sending would not see the answer.
 * @throws Refusal 413
 */
export async function checkAnnouncedLength(request: Request, limits: BodyLimits): Promise<void> {
  const length = Number(request.headers.get('content-length') ?? 0)
  const json = isJson(request.headers.get('content-type') ?? '') && limits.json > 0
  const limit = json ? Math.min(limits.json, limits.body) : limits.body
  if (length <= limit * MB) return
  if (length <= DISCARDED) await discard(request)
  throw tooLarge(limit, length)
}

async function discard(request: Request): Promise<void> {
  try {
    let size = 0
    for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > DISCARDED) return
    }
  } catch {
    // The client left: nobody waits for the answer.
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse(400, 'The body is not valid UTF-8')
  }
}

/** Whether a content type says JSON (base.md). */
export function isJson(contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || /^[^/\s]+\/[^/\s]+\+json$/.test(type)
}

/**
 * The part `file`, which must be a file.
 * @throws Refusal 422
 */
export async function readUpload(body: RequestBody): Promise<UploadedFile> {
  const part = await findUpload(body)
  if (!(part instanceof File)) throw invalid([part])
  return { name: part.name, bytes: new Uint8Array(await part.arrayBuffer()) }
}

/** What is wrong with the part `file`; none where it is a file. */
export async function uploadProblems(body: RequestBody): Promise<ValidationElement[]> {
  const part = await findUpload(body)
  return part instanceof File ? [] : [part]
}

async function findUpload(body: RequestBody): Promise<File | ValidationElement> {
  const part = (await body.form()).getAll('file').at(-1)
  const element = { loc: ['body', 'file'], input: null } as const
  if (part === undefined || (typeof part !== 'string' && part.name === '')) {
    return { type: 'missing', msg: 'Field required', ...element }
  }
  if (typeof part !== 'string') return part
  const msg = "Value error, Expected UploadFile, received: <class 'str'>"
  return { ...element, type: 'value_error', msg, input: part, ctx: { error: {} } }
}

function tooLarge(limit: number, size: number): Refusal {
  const got = Number((size / MB).toFixed(3))
  return refuse(
    413,
    `Content size limit exceeded. Maximum allowed is ${limit}MB and got ${got}MB.`,
    { headers: { connection: 'close' } },
  )
}
