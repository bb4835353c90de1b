/** The words of a text with single spaces between them. */
export type Words<
  Text extends string,
  Before extends readonly string[] = [],
> = Text extends `${infer Word} ${infer Rest}`
  ? Words<Rest, readonly [...Before, Word]>
  : readonly [...Before, Text]

/** Splits a text at its spaces, with the words in its type. */
export function words<const Text extends string>(text: Text): Words<Text> {
  // What `split` gives is as long as the type says.
  return text.split(' ') as readonly string[] as Words<Text>
}
