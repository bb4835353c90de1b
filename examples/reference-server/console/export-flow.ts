import { call } from './api.ts'
import { make } from './elements.ts'

/** Saves a flow as the file that `runFlow` and other servers read; the service leaves secrets out. */
export async function exportFlow({ id, name }: Readonly<Record<'id' | 'name', string>>) {
  const response = await call('/flows/download/', { method: 'POST', body: JSON.stringify([id]) })
  const href = URL.createObjectURL(await response.blob())
  make('a', '', { href, download: `${name}.json` }).click()
  URL.revokeObjectURL(href)
}
