import { call } from './api.ts'
import { attempt, byId } from './elements.ts'

/** Calls `imported` with the id of the first flow of each file that is chosen. */
export function setUpImport(imported: (id: string) => Promise<void>): void {
  const input = byId('import-file', HTMLInputElement)
  input.addEventListener('change', () =>
    attempt(async () => {
      const [file] = input.files ?? []
      if (file === undefined) return
      const body = new FormData()
      body.append('file', file)
      // Allows choosing the same file again after it was corrected.
      input.value = ''
      const flows = (await (await call('/flows/upload/', { method: 'POST', body })).json()) as {
        id: string
      }[]
      const [first] = flows
      if (first !== undefined) await imported(first.id)
    }),
  )
}
