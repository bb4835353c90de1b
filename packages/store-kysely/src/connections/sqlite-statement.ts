/** Statements that cannot access other files, unlike ATTACH, VACUUM INTO and PRAGMA. */
const KEYWORD = /(select|with|values|explain|insert|update|delete|replace|create|drop|alter)\b/iy

/** The end of a string, quoted name or comment, by its start. */
const ENDS: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '[': ']',
  '--': '\n',
  '/*': '*/',
}

/**
 * Rejects anything but a single statement that cannot access other files. Linear time for any input.
 * @throws Error with a message for the author of the flow
 */
export function checkSqliteStatement(sql: string): void {
  KEYWORD.lastIndex = afterBlanks(sql, 0)
  if (!KEYWORD.test(sql)) {
    throw new Error(
      'Only SELECT, WITH, VALUES, EXPLAIN, INSERT, UPDATE, DELETE, CREATE, DROP and ALTER run here',
    )
  }
  for (let at = 0; at < sql.length;) {
    if (sql[at] === ';' && afterBlanks(sql, at + 1) < sql.length)
      throw new Error('Only one statement can run at a time')
    at = afterQuoted(sql, at) ?? at + 1
  }
}

/** Index of the first character that is neither whitespace nor part of a comment. */
function afterBlanks(sql: string, from: number): number {
  let at = from
  while (at < sql.length) {
    const isComment = sql.startsWith('--', at) || sql.startsWith('/*', at)
    if (isComment) at = afterQuoted(sql, at) ?? sql.length
    else if (/\s/.test(sql[at] ?? '')) at += 1
    else return at
  }
  return at
}

/** The end of the string, quoted name or comment that starts here; undefined if there is none. */
function afterQuoted(sql: string, at: number): number | undefined {
  const pair = sql.slice(at, at + 2)
  const start = pair === '--' || pair === '/*' ? pair : pair.slice(0, 1)
  const end = Object.hasOwn(ENDS, start) ? ENDS[start] : undefined
  if (end === undefined) return undefined
  const found = sql.indexOf(end, at + start.length)
  return found < 0 ? sql.length : found + end.length
}
