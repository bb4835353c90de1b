import { call } from './api.ts'
import { make } from './elements.ts'

/** Downloads a flow as a file for `runFlow` and other servers; the service removes secrets. */
export async function exportFlow({ id, name }: Readonly<Record<'id' | 'name', string>>) {
  const response = await call('/flows/download/', { method: 'POST', body: JSON.stringify([id]) })
  const href = URL.createObjectURL(await response.blob())
  make('a', '', { href, download: `${name}.json` }).click()
  URL.revokeObjectURL(href)
}
