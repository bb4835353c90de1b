import { readFile } from 'node:fs/promises'

const ECHO = new URL('../../examples/reference-server/flows/echo.json', import.meta.url)

/** The graph of the bundled flow: chat input, prompt, chat output. */
export async function readFlow(): Promise<unknown> {
  return (JSON.parse(await readFile(ECHO, 'utf8')) as { data: unknown }).data
}
