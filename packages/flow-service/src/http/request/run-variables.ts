const VARIABLE = /^x-(?:service|langflow)-global-var-(.+)$/

/** Variables of a run are sent as headers; their names become upper case. */
export function readVariables(headers: Headers): Record<string, string> {
  const variables = Object.create(null) as Record<string, string>
  for (const [name, value] of headers) {
    const variable = VARIABLE.exec(name)?.[1]
    if (variable !== undefined) variables[variable.toUpperCase()] = value
  }
  return variables
}
