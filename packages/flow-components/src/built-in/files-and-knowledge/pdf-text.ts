import { eventLoopTurn } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { workCaller } from '@x/flow-engine/internal'
import { documentRefusals, MAX_BYTES_HERE, MAX_PAGES_HERE, MAX_TEXT } from './document-limits.ts'

/**
 * Extracts the text of a PDF with a blank line between pages. The host's `documentReader` limits time and
 * memory; without it, only small documents are read, in this thread.
 * @throws FlowError `limit_exceeded`; Error with the reader's message
 */
export async function pdfText(
  bytes: Uint8Array,
  ctx: Pick<ComponentContext, 'services' | 'signal' | 'userId'>,
): Promise<string> {
  const { documentReader } = ctx.services
  if (documentReader !== undefined) return documentReader.pdf(bytes, workCaller(ctx))
  if (bytes.length > MAX_BYTES_HERE) throw documentRefusals.pdfHere()
  const { getDocumentProxy } = await import('unpdf')
  // The library takes ownership of the buffer, so it gets a copy. Its warnings are kept out of the host's
  // log.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 })
  try {
    if (document.numPages > MAX_PAGES_HERE) throw documentRefusals.pdfHere()
    const texts: string[] = []
    let left = MAX_TEXT
    for (let number = 1; number <= document.numPages; number += 1) {
      ctx.signal.throwIfAborted()
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      const parts = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      const text = parts.join('')
      left -= text.length
      if (left < 0) throw documentRefusals.text()
      texts.push(text)
      page.cleanup()
      await eventLoopTurn()
    }
    return texts.join('\n\n')
  } finally {
    await document.loadingTask.destroy()
  }
}
