/**
 * The program of a worker that reads documents. Buffers do not count towards a worker's heap limit, so
 * exceeding the memory limit ends the worker. Throwing would not suffice, since libraries continue after
 * failed streams. Rows are sent in batches; each waits until the reader has had a turn of its event loop.
 */
export const READER_SOURCE = `
const { createRequire } = require('node:module')
const { parentPort, workerData } = require('node:worker_threads')
const { bufferBytes, pages, text: longest } = workerData
const { memoryUsage, exit } = process
const LARGE = 1024 * 1024
const CELLS = 5000
const bounded = (View) => new Proxy(View, {
  // fflate inlines it by its source text into its own worker.
  get: (target, name) => (name === 'toString' ? () => String(target) : Reflect.get(target, name)),
  construct(target, given, made) {
    const size = typeof given[0] === 'number' ? given[0] * target.BYTES_PER_ELEMENT : 0
    if (size > LARGE && size + memoryUsage().arrayBuffers > bufferBytes) exit(1)
    return Reflect.construct(target, given, made)
  },
})
for (const name of ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int32Array', 'Float32Array'])
  globalThis[name] = bounded(globalThis[name])
const load = createRequire(workerData.base)

async function pdf(bytes) {
  const { getDocumentProxy } = load('unpdf')
  const document = await getDocumentProxy(bytes, { verbosity: 0 })
  try {
    if (document.numPages > pages) return { over: 'pages' }
    const texts = []
    let left = longest
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      const parts = items.filter(({ str }) => str != null)
      const text = parts.map(({ str, hasEOL }) => (hasEOL ? str + '\\n' : str)).join('')
      left -= text.length
      if (left < 0) return { over: 'text' }
      texts.push(text)
      page.cleanup()
    }
    return { text: texts.join('\\n\\n') }
  } finally {
    await document.loadingTask.destroy()
  }
}

async function sheet(bytes) {
  const { readSheet } = load('read-excel-file/universal')
  const rows = await readSheet(new Blob([bytes]))
  const each = Math.max(1, Math.ceil(CELLS / (rows[0]?.length || 1)))
  for (let at = 0; at < rows.length; at += each) {
    parentPort.postMessage({ part: rows.slice(at, at + each) })
    await new Promise((resolve) => parentPort.once('message', resolve))
  }
  return { text: '' }
}

const readers = { pdf, sheet }
parentPort.on('message', async (message) => {
  if (message === 'next') return
  try {
    parentPort.postMessage(await readers[message.kind](message.bytes))
  } catch (error) {
    if (error?.code === 'MODULE_NOT_FOUND') throw error
    parentPort.postMessage({ problem: String(error?.message ?? error) })
  }
})
`
