import { MAX_DEPTH, nestingError } from '../../web/parse-markup.ts'
import { jsonProblem } from '@x/wire'
import { createInflateBudget, type InflateBudget } from '../../archive/inflate-budget.ts'
import { decodeText, decodeWindowsText } from '../../web/decode-text.ts'
import type { ComponentContext } from '@x/flow-engine'
import { extensionOf } from '@x/wire'
import { pdfText } from './pdf-text.ts'

/**
 * Extracts the text of a file according to its extension: compact JSON, the text of PDF and Word documents,
 * and anything else decoded as UTF-8 or in the given encoding.
 * @throws Error with the message of the failed reader
 */
export async function fileText(
  path: string,
  bytes: Uint8Array,
  {
    ctx,
    budget = createInflateBudget(bytes.length),
    encoding = '',
  }: {
    readonly ctx: Pick<ComponentContext, 'services' | 'signal' | 'userId'>
    readonly budget?: InflateBudget
    readonly encoding?: string
  },
): Promise<string> {
  switch (extensionOf(path)) {
    case 'pdf':
      return pdfText(bytes, ctx)
    case 'docx':
      return wordText(bytes, budget)
    case 'json':
      return compactJson(bytes, encoding)
    default:
      return decode(bytes, encoding)
  }
}

/** Maximum size of a JSON file in bytes, as for a JSON request body. */
const MAX_JSON = 32 * 1024 * 1024

/** @throws TypeError for JSON that is too expensive to parse; SyntaxError */
async function compactJson(bytes: Uint8Array, encoding: string): Promise<string> {
  if (bytes.length > MAX_JSON) throw new TypeError('The JSON is larger than 32 MB')
  const text = await decode(bytes, encoding)
  const problem = jsonProblem(text)
  if (problem !== null) throw new TypeError(`The JSON is ${problem}`)
  return JSON.stringify(JSON.parse(text))
}

/** Recognises UTF-8 and UTF-16 byte order marks; bytes that are not UTF-8 are decoded as Windows-1252. */
async function decode(bytes: Uint8Array, encoding: string): Promise<string> {
  const named = encoding.trim().toLowerCase().replaceAll('_', '-')
  if (named !== '' && !/^utf-?8$/.test(named)) return decodeText(bytes, decoderFor(named))
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeText(bytes, new TextDecoder('utf-16le'))
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeText(bytes, new TextDecoder('utf-16be'))
  try {
    return await decodeText(bytes, new TextDecoder('utf-8', { fatal: true }))
  } catch {
    return decodeWindowsText(bytes)
  }
}

/** @throws TypeError for an unknown encoding */
function decoderFor(name: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(name)
  } catch (error) {
    throw new TypeError(`Text Encoding '${name}' is unknown; use a name such as utf-8`, {
      cause: error,
    })
  }
}

/** Maximum number of paragraphs, including empty ones. */
const MAX_PARAGRAPHS = 1_000_000

function tooManyParagraphs(): TypeError {
  return new TypeError(`The document has more than ${MAX_PARAGRAPHS} paragraphs`)
}

/** Extracts the paragraphs of the document body, separated by blank lines, while it is inflated. */
async function wordText(bytes: Uint8Array, budget: InflateBudget): Promise<string> {
  const [{ readZip }, { Parser }] = await Promise.all([
    import('../../archive/read-zip.ts'),
    import('htmlparser2'),
  ])
  const paragraphs: string[] = []
  let paragraph = ''
  let inText = false
  let depth = 0
  const parser = new Parser(
    {
      onopentag(name) {
        depth += 1
        if (depth > MAX_DEPTH) throw nestingError()
        if (name === 'w:t') inText = true
        if (name === 'w:tab') paragraph += '\t'
        if (name === 'w:br' || name === 'w:cr') paragraph += '\n'
      },
      ontext(text) {
        if (inText) paragraph += text
      },
      onclosetag(name) {
        depth -= 1
        if (name === 'w:t') inText = false
        if (name !== 'w:p') return
        if (paragraphs.length === MAX_PARAGRAPHS) throw tooManyParagraphs()
        paragraphs.push(paragraph)
        paragraph = ''
      },
    },
    { xmlMode: true },
  )
  const decoder = new TextDecoder()
  let isDocument = false
  await readZip(bytes, {
    budget,
    wanted: (name) => name === 'word/document.xml',
    onData(_name, piece) {
      isDocument = true
      parser.write(decoder.decode(piece, { stream: true }))
    },
  })
  if (!isDocument) throw new TypeError('the file is not a Word document')
  parser.end(decoder.decode())
  return paragraphs.join('\n\n')
}
