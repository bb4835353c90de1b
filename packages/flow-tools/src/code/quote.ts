/** A string of TypeScript in single quotes, whose text can neither end it nor its line. */
export function quote(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`)
    .replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped)
  return `'${inner}'`
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
