/** Draws what a command has printed as an SVG that looks like a terminal. */

const SIZE = 13
const COLUMN = SIZE * 0.602
const ROW = 20
const PADDING = 18
const BAR = 34
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"

/** Colours by what a line begins with; the first that matches. */
const STYLES = [
  [/^\$ /, '#f0f6fc'],
  [/^ {2}> /, '#7ee787'],
  [/^ {2}(GET|POST|PUT|PATCH|DELETE) /, '#79c0ff'],
  [/^(Server|Stopped)/, '#8b949e'],
]

/** Ports and folders that differ from run to run, as one that could have been. */
const settled = (text) =>
  text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:41234')
    .replaceAll(/\/\S*\/reference-demo-\w+/g, '/tmp/reference-demo')

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** @returns {string} the SVG of a command and the text that it printed */
export function terminalPicture(command, output) {
  const lines = [`$ ${command}`, ...settled(output).trimEnd().split('\n')]
  const columns = Math.max(...lines.map((line) => line.length))
  const width = Math.ceil(columns * COLUMN + 2 * PADDING)
  const height = BAR + lines.length * ROW + PADDING
  const rows = lines.flatMap((line, index) =>
    line === ''
      ? []
      : [
          `  <text x="${PADDING}" y="${BAR + (index + 1) * ROW - 5}" fill="${colourOf(line)}">${escaped(line)}</text>`,
        ],
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(command)} in a terminal">`,
    `  <style>text { font: ${SIZE}px ${FONT}; white-space: pre }</style>`,
    `  <rect width="${width}" height="${height}" rx="10" fill="#0d1117" stroke="#30363d" />`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, index) => `  <circle cx="${22 + index * 20}" cy="18" r="6" fill="${fill}" />`,
    ),
    ...rows,
    '</svg>',
    '',
  ].join('\n')
}

const colourOf = (line) => STYLES.find(([pattern]) => pattern.test(line))?.[1] ?? '#e6edf3'
