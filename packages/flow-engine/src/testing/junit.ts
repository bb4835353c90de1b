import type { EvaluatedExample } from './evaluated-example.ts'

const MOST_CHARACTERS = 2000

/** Formats an evaluation as JUnit XML. */
export function formatJUnit(
  suite: string,
  examples: readonly EvaluatedExample[],
  durationMs: number,
): string {
  const failures = examples.filter(({ passed }) => !passed).length
  const cases = examples.map(formatCase)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${escaped(suite)}" tests="${examples.length}" failures="${failures}" time="${seconds(durationMs)}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n')
}

function formatCase(example: EvaluatedExample): string {
  const { id, passed, durationMs } = example
  const open = `  <testcase name="${escaped(id)}" time="${seconds(durationMs)}"`
  if (passed) return `${open}/>`
  const failure = `<failure message="${escaped(reasonOf(example))}">${bodyOf(example)}</failure>`
  return `${open}>\n    ${failure}\n  </testcase>`
}

/** What was expected and what came, as far as they are known. */
function bodyOf({ expected, text }: EvaluatedExample): string {
  const lines = [
    ...(expected === undefined ? [] : [`expected: ${expected.slice(0, MOST_CHARACTERS)}`]),
    ...(text === null ? [] : [`got: ${text.slice(0, MOST_CHARACTERS)}`]),
  ]
  return escaped(lines.join('\n'))
}

function reasonOf({ scores, error }: EvaluatedExample): string {
  const failed = Object.entries(scores)
    .filter(([, { passed }]) => !passed)
    .map(
      ([name, { score, reason }]) =>
        `${name}: ${score}${reason === undefined ? '' : `, ${reason}`}`,
    )
  const errorLines = error === undefined ? [] : [`${error.code}: ${error.message}`]
  return [...failed, ...errorLines].join('; ')
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Removes characters not allowed in XML 1.0. */
function escaped(text: string): string {
  return Array.from(text)
    .filter(isXml)
    .join('')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replaceAll('\n', '&#10;')
}

/** A lone surrogate is a character of its own here. */
function isXml(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd
  return code < 0xd800 || (code > 0xdfff && code !== 0xfffe && code !== 0xffff)
}
