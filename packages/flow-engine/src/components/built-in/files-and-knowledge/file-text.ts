import { createInflateBudget, type InflateBudget } from '../../../archive/inflate-budget.ts'
import { decodeWindows } from '../../web/decode-windows.ts'
import { extensionOf } from '../../web/mime-type.ts'

/**
 * The text of a file by its extension: JSON compact, PDF and Word documents as their text, anything
 * else as UTF-8 (CO-38).
 * @throws Error in the words of the reader that could not read it
 */
export async function fileText(
  path: string,
  bytes: Uint8Array,
  budget: InflateBudget = createInflateBudget(bytes.length),
): Promise<string> {
  switch (extensionOf(path)) {
    case 'pdf':
      return pdfText(bytes)
    case 'docx':
      return wordText(bytes, budget)
    case 'json':
      return JSON.stringify(JSON.parse(decode(bytes)))
    default:
      return decode(bytes)
  }
}

/** Byte order marks of UTF-8 and UTF-16 are heeded; other bytes than UTF-8 are read as Windows-1252. */
function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return decodeWindows(bytes)
  }
}

async function pdfText(bytes: Uint8Array): Promise<string> {
  const { extractText } = await import('unpdf')
  // The reader takes the buffer over, so it gets one of its own.
  const { text } = await extractText(Uint8Array.from(bytes))
  return text.join('\n\n')
}

/** Paragraphs of the document's body, a blank line between them; read while it is inflated. */
async function wordText(bytes: Uint8Array, budget: InflateBudget): Promise<string> {
  const [{ readZip }, { Parser }] = await Promise.all([
    import('../../../archive/read-zip.ts'),
    import('htmlparser2'),
  ])
  const paragraphs: string[] = []
  let paragraph = ''
  let inText = false
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === 'w:t') inText = true
        if (name === 'w:tab') paragraph += '\t'
        if (name === 'w:br' || name === 'w:cr') paragraph += '\n'
      },
      ontext(text) {
        if (inText) paragraph += text
      },
      onclosetag(name) {
        if (name === 'w:t') inText = false
        if (name !== 'w:p') return
        paragraphs.push(paragraph)
        paragraph = ''
      },
    },
    { xmlMode: true },
  )
  const decoder = new TextDecoder()
  let isDocument = false
  readZip(bytes, {
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
