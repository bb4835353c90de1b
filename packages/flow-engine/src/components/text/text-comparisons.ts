type TextComparison = (text: string, wanted: string) => boolean

/** Comparisons of strings by the operator names that components offer. */
export const TEXT_COMPARISONS: ReadonlyMap<string, TextComparison> = new Map<
  string,
  TextComparison
>([
  ['equals', (text, wanted) => text === wanted],
  ['not equals', (text, wanted) => text !== wanted],
  ['contains', (text, wanted) => text.includes(wanted)],
  ['starts with', (text, wanted) => text.startsWith(wanted)],
  ['ends with', (text, wanted) => text.endsWith(wanted)],
])
