/** Returns the contents of the fenced blocks of a Markdown text; the last one may be left open. */
export function fencedBlocks(text: string): string[] {
  const blocks: string[] = []
  let fence: string | undefined
  let lines: string[] = []
  for (const line of text.split('\n')) {
    const start = line.trimStart()
    if (fence === undefined) {
      fence = ['```', '~~~'].find((mark) => start.startsWith(mark))
    } else if (start.startsWith(fence)) {
      blocks.push(lines.join('\n'))
      lines = []
      fence = undefined
    } else lines.push(line)
  }
  return fence === undefined ? blocks : [...blocks, lines.join('\n')]
}
