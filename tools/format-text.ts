import { readFileSync } from 'node:fs'
import { format, type FormatConfig } from 'oxfmt'

/** A generated text as `npm run format` would write it; the extension of the path tells the language. */
export async function formatText(path: string, text: string): Promise<string> {
  const file = new URL('../.oxfmtrc.json', import.meta.url)
  const { code, errors } = await format(
    path,
    text,
    JSON.parse(readFileSync(file, 'utf8')) as FormatConfig,
  )
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return code
}
