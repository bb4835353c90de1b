import type { CheckResult, VerifyReport } from './verify-scim.ts'

const MARKS: Readonly<Record<CheckResult['result'], string>> = {
  passed: 'ok',
  failed: 'FAILED',
  skipped: 'skipped',
  warning: 'warning',
}

/** One line of a table, followed by what is known about a check that did not pass. */
export function resultLine({ id, title, result, message, request }: CheckResult): string {
  const line = `${MARKS[result].padEnd(8)} ${id.padEnd(26)} ${printable(title)}`
  if (result === 'passed') return line
  if (result === 'skipped') return `${line} (${printable(message ?? '')})`
  const more = [message, request && `request: ${request}`].filter((text) => text !== undefined)
  return [line, ...more.map((text) => `         ${printable(text).slice(0, 1000)}`)].join('\n')
}

/** The last line: how many checks had which result. */
export function summaryLine({ checks }: VerifyReport): string {
  const count = (wanted: CheckResult['result']): number =>
    checks.filter(({ result }) => result === wanted).length
  return `x-scim: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped, ${count('warning')} warnings`
}

const MAX_FAILURE = 2_000

/** The checks as JUnit XML, one suite for each profile. */
export function junitXml({ checks }: VerifyReport): string {
  const profiles = [...new Set(checks.map(({ profile }) => profile))]
  const suites = profiles.map((profile) =>
    suiteXml(
      profile,
      checks.filter((one) => one.profile === profile),
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`
}

function suiteXml(profile: string, checks: readonly CheckResult[]): string {
  const count = (wanted: CheckResult['result']): number =>
    checks.filter(({ result }) => result === wanted).length
  const time = checks.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const head = `<testsuite name="${xmlText(profile)}" tests="${checks.length}" failures="${count('failed')}" skipped="${count('skipped')}" time="${seconds(time)}">`
  return `${head}\n${checks.map(caseXml).join('')}</testsuite>\n`
}

function caseXml({
  id,
  profile,
  title,
  result,
  message = '',
  request,
  durationMs,
}: CheckResult): string {
  const head = `<testcase classname="scim.${xmlText(profile)}" name="${xmlText(`${id} ${title}`)}" time="${seconds(durationMs)}"`
  if (result === 'passed') return `${head}/>\n`
  if (result === 'skipped') return `${head}><skipped message="${xmlText(message)}"/></testcase>\n`
  const text = xmlText([message, request ?? ''].join('\n').slice(0, MAX_FAILURE))
  if (result === 'warning') return `${head}><system-out>${text}</system-out></testcase>\n`
  return `${head}><failure message="${xmlText(message.slice(0, 200))}">${text}</failure></testcase>\n`
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

/** What XML 1.0 does not allow, and lone surrogates, become U+FFFD. */
function xmlText(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** A server's text without control characters, which could steer a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]|[\p{Cs}\uFFFE\uFFFF]/gu, '\u{FFFD}')
}
