/**
 * Python source without what does not change it: a byte order mark, line endings, blanks at line ends, blank
 * lines, comment lines, the quotes of long strings, and the older name of the package.
 */
export function plainCode(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.trimStart().startsWith('#'))
    .map((line) => line.replaceAll("'''", '"""'))
    .map((line) => line.replace(/^(\s*(?:from|import)\s+)langflow\b/, '$1lfx'))
    .join('\n')
}
