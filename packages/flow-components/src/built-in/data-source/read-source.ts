import { fileNotFound } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import type { FileReference } from '@x/flow-engine'

const MAX_BYTES = 20 * 1024 * 1024

/** The source of a text; exactly one of the three is given. */
export interface TextSource {
  readonly files: readonly FileReference[]
  /** Name of a stored file of the flow's owner. */
  readonly path: string
  readonly text: string
  /** The format for error messages: `CSV`, `JSON`. */
  readonly kind: string
}

/**
 * Reads text from an uploaded file, a stored file, or a field.
 * @throws TypeError unless exactly one of them is given, and for a file that is missing or over 20 MiB
 */
export async function readSource(
  { files, path, text, kind }: TextSource,
  ctx: ComponentContext,
): Promise<string> {
  const [file] = files
  if ([file !== undefined, path !== '', text !== ''].filter(Boolean).length !== 1) {
    throw new TypeError(`Set exactly one of these: a ${kind} file, a path or a ${kind} text.`)
  }
  if (text !== '') return text
  const bytes =
    file === undefined
      ? await ctx.services.files?.read(path, {
          flowId: ctx.flowId,
          ...(ctx.userId === undefined ? {} : { userId: ctx.userId }),
        })
      : await file.read()
  if (bytes === undefined || bytes === null) throw fileNotFound(path)
  if (bytes.length > MAX_BYTES) throw new TypeError(`The ${kind} file is over 20 MiB.`)
  return new TextDecoder().decode(bytes)
}
