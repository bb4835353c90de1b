const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u
const PLAIN = /^[ -~]*$/

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += widthOfGrapheme(segment)
  return width
}

function widthOfGrapheme(segment: string): number {
  if (/^[\p{M}\p{Cf}]+$/u.test(segment)) return 0
  return WIDE.test(segment) ? 2 : 1
}

/** A text as lines without control characters, and without marks that turn the direction of what follows. */
export function plainLines(text: string): string[] {
  return text.split(/\r\n?|[\n\v\f\u0085\u2028\u2029]/).map((line) =>
    line
      .replaceAll('\t', '  ')
      // eslint-disable-next-line no-control-regex -- these are the characters to take out
      .replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ''),
  )
}

/** Breaks a line between words, and within a word that is too wide. */
export function wrap(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line]
  const lines: string[] = []
  let current = ''
  let used = 0
  const push = (): void => {
    lines.push(current.trimEnd())
    current = ''
    used = 0
  }
  for (const part of line.match(/\s+|\S+/g) ?? []) {
    const size = widthOf(part)
    if (used + size <= width) {
      if (used > 0 || part.trim() !== '' || lines.length === 0) {
        current += part
        used += size
      }
      continue
    }
    if (part.trim() === '') {
      push()
      continue
    }
    if (used > 0 && size <= width) push()
    if (size <= width) {
      current = part
      used = size
      continue
    }
    for (const { segment } of graphemes.segment(part)) {
      const one = widthOfGrapheme(segment)
      if (used + one > width && used > 0) push()
      current += segment
      used += one
    }
  }
  if (current !== '') push()
  return lines
}

/** Fills a text with blanks up to a width. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}
