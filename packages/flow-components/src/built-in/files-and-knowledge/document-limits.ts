import { FlowError } from '@x/flow-engine'

/** Maximum number of pages of a document. */
export const MAX_PAGES = 10_000
/** Maximum number of characters in the text of a document. */
export const MAX_TEXT = 20_000_000

/** Limits for PDFs and workbooks read in the calling thread. */
export const MAX_BYTES_HERE = 10 * 1024 * 1024
export const MAX_PAGES_HERE = 200
export const MAX_CELLS_HERE = 500_000

/** Errors for documents over the limits. */
export const documentRefusals = {
  pages: () => tooMuch(`The PDF has more than ${MAX_PAGES} pages`),
  text: () => tooMuch(`The text of the PDF has more than ${MAX_TEXT} characters`),
  pdfHere: () =>
    tooMuch(
      `A PDF of more than ${MAX_BYTES_HERE / 2 ** 20} MB or ${MAX_PAGES_HERE} pages can be read only if the host supplies \`services.documentReader\``,
    ),
  sheetHere: () =>
    tooMuch(
      `A workbook of more than ${MAX_CELLS_HERE} cells can be read only if the host supplies \`services.documentReader\``,
    ),
} as const

function tooMuch(text: string): FlowError {
  return new FlowError('limit_exceeded', text)
}
