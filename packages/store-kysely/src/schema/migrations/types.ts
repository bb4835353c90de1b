import type { DialectKind } from '../../engine/engine.ts'

/**
 * Placeholders in our migrations and their form in each dialect. Text compares by code point on both;
 * SEQUENCE is a hidden number that preserves insertion order; CLUSTERED ends a table stored in primary key
 * order.
 */
const WORDS: Readonly<Record<DialectKind, Readonly<Record<string, string>>>> = {
  sqlite: {
    TEXT: 'text',
    INT: 'integer',
    REAL: 'real',
    BYTES: 'blob',
    JSON: 'text',
    SEQUENCE: 'integer primary key autoincrement',
    CLUSTERED: 'without rowid',
  },
  postgres: {
    TEXT: 'text collate "C"',
    INT: 'bigint',
    REAL: 'double precision',
    BYTES: 'bytea',
    JSON: 'jsonb',
    SEQUENCE: 'bigint generated always as identity primary key',
    CLUSTERED: '',
  },
}

/** Translates a migration statement to a dialect. */
export function translateTypes(dialect: DialectKind, statement: string): string {
  const ordered = dialect === 'sqlite' ? reverseConstraints(statement) : statement
  return ordered
    .replaceAll(
      /\b(?:TEXT|INT|REAL|BYTES|JSON|SEQUENCE|CLUSTERED)\b/g,
      (word) => WORDS[dialect][word] ?? word,
    )
    .trim()
}

/**
 * A row may violate several constraints, of which the first in the statement must be reported. PostgreSQL
 * checks them in creation order, SQLite in reverse.
 */
function reverseConstraints(statement: string): string {
  const [head = '', ...constraints] = statement.split(/,\s*(?=constraint )/)
  if (constraints.length < 2) return statement
  const bare = constraints.map((text, i) =>
    i === constraints.length - 1 ? text.replace(/\)$/, '') : text,
  )
  return `${[head, ...bare.toReversed()].join(',\n    ')})`
}
