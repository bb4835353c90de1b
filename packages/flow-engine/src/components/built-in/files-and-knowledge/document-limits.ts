import { FlowError } from '../../../errors.ts'

/** Maximum number of pages of a document (AB-36). */
export const MOST_PAGES = 10_000
/** Maximum number of characters in the text of a document (AB-36). */
export const MOST_TEXT = 20_000_000

/** Limits for PDFs and workbooks read in the calling thread (AB-36). */
export const MOST_BYTES_HERE = 10 * 1024 * 1024
export const MOST_PAGES_HERE = 200
export const MOST_CELLS_HERE = 500_000

/** Errors for documents over the limits. */
export const documentRefusals = {
  pages: () => tooMuch(`The PDF has more than ${MOST_PAGES} pages`),
  text: () => tooMuch(`The text of the PDF has more than ${MOST_TEXT} characters`),
  pdfHere: () =>
    tooMuch(
      `A PDF of more than ${MOST_BYTES_HERE / 2 ** 20} MB or ${MOST_PAGES_HERE} pages can be read only if the host supplies \`services.documentReader\``,
    ),
  sheetHere: () =>
    tooMuch(
      `A workbook of more than ${MOST_CELLS_HERE} cells can be read only if the host supplies \`services.documentReader\``,
    ),
} as const

function tooMuch(text: string): FlowError {
  return new FlowError('limit_exceeded', text)
}
