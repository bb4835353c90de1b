/** Reads a body of JSON lines; yields values as they arrive. */
export async function* readJsonLines<T>(response: Response): AsyncGenerator<T, void, undefined> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done = true, value = '' } = (await reader?.read()) ?? {}
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T
    if (done) return
  }
}
