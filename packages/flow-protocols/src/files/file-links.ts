import { mimeTypeOf, type Runtime } from '@x/wire'
import type { JobSecretBox } from '@x/flow-engine'
import { isObject } from '@x/wire'
import type { TurnPart } from '../parts/turn-part.ts'

/** Where a page reads a file. */
export interface LinkedFile {
  readonly url: string
  readonly mediaType: string
}

/** What a ticket opens. */
export interface FileTicket {
  readonly path: string
  readonly userId: string
  readonly flowId: string
  /** Of a visitor's file: the stored flow, whose visitors' files it is among. */
  readonly publicFlowId?: string | undefined
}

export interface TicketOptions {
  readonly box: JobSecretBox
  readonly runtime: Pick<Runtime, 'now'>
  /** Seconds that a ticket is good for. */
  readonly seconds: number
}

type TicketFacts = readonly [string, string, string, number, (string | null)?]

const CONTEXT = 'file ticket'

/** Seals the path of a file for an `<img>`, which sends no credentials. */
export async function sealTicket(
  { box, runtime, seconds }: TicketOptions,
  { path, userId, flowId, publicFlowId }: FileTicket,
): Promise<string> {
  const until = runtime.now().getTime() + seconds * 1000
  const facts = [path, userId, flowId, until, publicFlowId]
  return await box.seal(JSON.stringify(facts), CONTEXT)
}

/** Null for a ticket that is wrong, changed or too old. */
export async function openTicket(
  { box, runtime }: Pick<TicketOptions, 'box' | 'runtime'>,
  ticket: string,
): Promise<FileTicket | null> {
  const text = await box.open(ticket, CONTEXT)
  if (text === null) return null
  const [path, userId, flowId, until, publicFlowId] = JSON.parse(text) as TicketFacts
  if (until < runtime.now().getTime()) return null
  return { path, userId, flowId, publicFlowId: publicFlowId ?? undefined }
}

/** The path of a file whose address a page sends back; undefined for what is not this caller's. */
export async function pathOfTicket(
  options: Pick<TicketOptions, 'box' | 'runtime'>,
  {
    url,
    base,
    userId,
    flowId,
  }: { readonly url: string; readonly base: string } & Omit<FileTicket, 'path'>,
): Promise<string | undefined> {
  if (!url.startsWith(base)) return undefined
  const file = await openTicket(options, url.slice(base.length))
  return file?.userId === userId && file.flowId === flowId ? file.path : undefined
}

/** The addresses of a turn's files, made before its parts are written. */
export class FileLinks {
  readonly #made = new Map<string, string>()
  readonly #make: (path: string) => Promise<string>

  /** @param make the address of a path of the flow */
  constructor(make: (path: string) => Promise<string>) {
    this.#make = make
  }

  async prepare(parts: readonly TurnPart[]): Promise<void> {
    for (const part of parts) for (const path of pathsIn(part)) await this.add(path)
  }

  async add(path: string): Promise<void> {
    if (isAddress(path) || this.#made.has(path)) return
    this.#made.set(path, await this.#make(path))
  }

  link(path: string): LinkedFile {
    const mediaType = mimeTypeOf(path)
    return { mediaType, url: this.#made.get(path) ?? path }
  }

  /** A block with the addresses of its media. */
  block(block: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { type, urls } = block
    if (type !== 'media' || !Array.isArray(urls)) return block
    const linked = urls.map((url: unknown) => (typeof url === 'string' ? this.link(url).url : url))
    return { ...block, urls: linked }
  }
}

function pathsIn(part: TurnPart): readonly string[] {
  if (part.kind === 'file') return [part.path]
  if (part.kind !== 'block' || !isObject(part.block)) return []
  const { type, urls } = part.block
  if (type !== 'media' || !Array.isArray(urls)) return []
  return urls.filter((url) => typeof url === 'string')
}

function isAddress(path: string): boolean {
  return /^(https?:|data:)/i.test(path)
}
