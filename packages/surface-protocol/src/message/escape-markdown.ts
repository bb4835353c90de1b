/**
 * A text that clients, which take texts as Markdown, show as it is written: marks, links and tags of users stay
 * words. Space at the beginning and end of lines is dropped.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[^\n\r\u2028\u2029]+/g, (line) => withoutSpace(line))
    .replaceAll(/[\\`*_[\]<>&~|#]/g, String.raw`\$&`)
    .replaceAll(/^[-+=]/gm, String.raw`\$&`)
    .replaceAll(/^(\d{1,9})([.)])/gm, String.raw`$1\$2`)
}

/** A pattern would take quadratic time for space in the middle of a line. */
function withoutSpace(line: string): string {
  let [start, end] = [0, line.length]
  while (start < end && isSpace(line[start])) start += 1
  while (end > start && isSpace(line[end - 1])) end -= 1
  return line.slice(start, end)
}

const isSpace = (character: string | undefined): boolean => character === ' ' || character === '\t'
