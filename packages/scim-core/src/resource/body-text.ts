/** A text generated in parts, because it is too large to be built as a whole. */
export interface StreamedText {
  readonly parts: () => AsyncIterable<string>
}

/** The text of a response, or of a part of it. */
export type BodyText = string | StreamedText

/** Concatenates texts; the result is a stream if one of them is. */
export function concatenated(texts: readonly BodyText[]): BodyText {
  if (texts.every((text) => typeof text === 'string')) return texts.join('')
  return { parts: () => partsOf(texts) }
}

async function* partsOf(texts: readonly BodyText[]): AsyncGenerator<string> {
  for (const text of texts) {
    if (typeof text === 'string') yield text
    else yield* text.parts()
  }
}

/** Builds the whole text, for in-process callers. */
export async function wholeText(text: BodyText): Promise<string> {
  if (typeof text === 'string') return text
  const parts: string[] = []
  for await (const part of text.parts()) parts.push(part)
  return parts.join('')
}
