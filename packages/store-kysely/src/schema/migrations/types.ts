import type { DialectKind } from '../../engine/engine.ts'

/**
 * Words of our migrations and what each dialect calls them. Texts compare by code point on both;
 * SEQUENCE is a hidden number that orders rows by insertion; CLUSTERED ends a table whose rows stand
 * in its primary key.
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

/** A statement of a migration in the words of a dialect. */
export function spell(dialect: DialectKind, statement: string): string {
  const ordered = dialect === 'sqlite' ? reverseConstraints(statement) : statement
  return ordered
    .replaceAll(
      /\b(?:TEXT|INT|REAL|BYTES|JSON|SEQUENCE|CLUSTERED)\b/g,
      (word) => WORDS[dialect][word] ?? word,
    )
    .trim()
}

/**
 * A row may break several constraints, and the first one written is to be reported. PostgreSQL
 * checks them in the order they were made, SQLite in the opposite one.
 */
function reverseConstraints(statement: string): string {
  const [head = '', ...constraints] = statement.split(/,\s*(?=constraint )/)
  if (constraints.length < 2) return statement
  const bare = constraints.map((text, i) =>
    i === constraints.length - 1 ? text.replace(/\)$/, '') : text,
  )
  return `${[head, ...bare.toReversed()].join(',\n    ')})`
}
