/** The member of an object whose name equals `name`, ignoring case. */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const lower = name.toLowerCase()
  const key = Object.keys(object).find((one) => one.toLowerCase() === lower)
  return key === undefined ? undefined : object[key]
}
