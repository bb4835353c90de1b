import { functionFailed } from './evaluation-error.ts'

/** Maximum number of cached formatters; the oldest is evicted. */
const MAX_CACHED = 100
const formatters = new Map<string, Intl.NumberFormat | Intl.PluralRules | Intl.DateTimeFormat>()

function cachedFormatter<T extends Intl.NumberFormat | Intl.PluralRules | Intl.DateTimeFormat>(
  key: string,
  make: () => T,
): T {
  const known = formatters.get(key)
  if (known !== undefined) return known as T
  const made = make()
  const [oldest] = formatters.keys()
  if (formatters.size >= MAX_CACHED && oldest !== undefined) formatters.delete(oldest)
  formatters.set(key, made)
  return made
}

/** Locale and format of a number. */
export interface NumberForm {
  readonly locale: string
  readonly currency?: string
  readonly decimals?: number | undefined
  readonly grouping: boolean
}

/** Formats a number for a locale. @throws EvaluationError for an unknown currency */
export function formatNumber(value: number, form: NumberForm): string {
  const { locale, currency, decimals, grouping } = form
  const key = `n ${locale} ${currency ?? ''} ${decimals ?? ''} ${grouping}`
  const digits =
    decimals === undefined ? undefined : Math.min(20, Math.max(0, Math.trunc(decimals)))
  try {
    const formatter = cachedFormatter(key, () => {
      return new Intl.NumberFormat(locale, {
        useGrouping: grouping,
        ...(currency === undefined ? {} : { style: 'currency', currency }),
        ...(digits === undefined
          ? {}
          : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
      })
    })
    return formatter.format(value)
  } catch {
    throw functionFailed('The currency is unknown.')
  }
}

/** The plural category of a number in a locale. */
export function pluralCategory(value: number, locale: string): Intl.LDMLPluralRule {
  return cachedFormatter(`p ${locale}`, () => new Intl.PluralRules(locale)).select(value)
}

/** Localised names of a month or weekday. */
export function dateName(
  date: Date,
  locale: string,
  form: { month: 'long' | 'short' } | { weekday: 'long' | 'short' },
): string {
  const key = `d ${locale} ${JSON.stringify(form)}`
  return cachedFormatter(
    key,
    () => new Intl.DateTimeFormat(locale, { ...form, timeZone: 'UTC' }),
  ).format(date)
}

/** A date whose UTC fields are the local fields of a time zone. */
export function inTimeZone(date: Date, timeZone: string): Date {
  if (timeZone === 'UTC') return date
  const formatter = cachedFormatter(`z ${timeZone}`, () => {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  })
  const fields = new Map(
    formatter.formatToParts(date).map(({ type, value }) => [type, Number(value)]),
  )
  const field = (name: Intl.DateTimeFormatPartTypes): number => fields.get(name) ?? 0
  const time = Date.UTC(
    field('year'),
    field('month') - 1,
    field('day'),
    field('hour'),
    field('minute'),
    field('second'),
    date.getUTCMilliseconds(),
  )
  return new Date(time)
}
