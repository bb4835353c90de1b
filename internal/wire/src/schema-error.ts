const BRAND = Symbol.for('@x/schema-error')

/** True for the error of a store whose tables are missing or older than this version. */
export function isSchemaError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && BRAND in value
}

/** Tells each error of the schema at most once a minute; all others as they come. */
export function withoutRepeatedSchemaErrors<
  Report extends (error: unknown, ...rest: never[]) => void,
>(report: Report, now: () => Date): Report {
  let next = 0
  return ((error: unknown, ...rest: never[]) => {
    if (isSchemaError(error)) {
      const time = now().getTime()
      if (time < next) return
      next = time + 60_000
    }
    report(error, ...rest)
  }) as Report
}
