import { call } from './api.ts'
import { byId, make } from './elements.ts'

/** The stored name of an upload starts with its time. */
const STAMP = /^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_/
const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp|svg)$/i

/** Shows the names of the files attached to the next message. */
export function setUpAttachments(): void {
  const input = byId('files', HTMLInputElement)
  input.addEventListener('change', () => showNames([...(input.files ?? [])]))
}

/** Uploads the chosen files to the flow, clears the choice and returns their addresses. */
export async function takeAttachments(flowId: string, signal: AbortSignal): Promise<string[]> {
  const input = byId('files', HTMLInputElement)
  const paths: string[] = []
  for (const file of input.files ?? []) {
    const body = new FormData()
    body.append('file', file)
    const response = await call(`/files/upload/${flowId}`, { method: 'POST', body, signal })
    paths.push(((await response.json()) as { file_path: string }).file_path)
  }
  input.value = ''
  showNames([])
  return paths
}

/** A file of a message: an image is displayed, another file is listed by name. */
export function attachment(path: string): HTMLElement {
  const name = path.slice(path.indexOf('/') + 1).replace(STAMP, '')
  if (!IMAGE.test(name)) return make('span', name, { class: 'file' })
  const address = path.split('/').map(encodeURIComponent).join('/')
  return make('img', '', { src: `/api/v1/files/images/${address}`, alt: name })
}

function showNames(files: readonly File[]): void {
  byId('attached', HTMLUListElement).replaceChildren(...files.map(({ name }) => make('li', name)))
}
