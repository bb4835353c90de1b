import table from './released-code.json' with { type: 'json' }

/**
 * Finds the component type of released code of the reference, by the first 12 hex digits of its SHA-256.
 * `released-code.json` has, for each type, the hash of version 1.7.1 and, for built-in types, those of the
 * plain forms (`plainCode`) of all versions and the fields that ours does not have; `tools/released-code.ts`
 * writes it.
 */
const rows: Readonly<Record<string, string>> = table

/** Returns the type of the component of version 1.7.1 whose code has this hash; undefined for other code. */
export function referenceType(hash: string): string | undefined {
  return tables().exact.get(hash)
}

/** Returns the type of the component, of any version, whose plain code has this hash. */
export function typeOfPlainCode(hash: string): string | undefined {
  return tables().plain.get(hash)
}

/** Fields of the type in other versions that change what it does and that the built-in one does not have. */
export function unknownFields(type: string): readonly string[] {
  return Object.hasOwn(rows, type) ? (rows[type]?.split(' ')[2]?.split(',') ?? []) : []
}

interface Tables {
  readonly exact: ReadonlyMap<string, string>
  readonly plain: ReadonlyMap<string, string>
}

let kept: Tables | undefined

function tables(): Tables {
  if (kept !== undefined) return kept
  const exact = new Map<string, string>()
  const plain = new Map<string, string>()
  for (const [type, row] of Object.entries(rows)) {
    const [hash = '', plains = ''] = row.split(' ')
    if (hash !== '') exact.set(hash, type)
    for (const one of plains.match(/.{12}/g) ?? []) plain.set(one, type)
  }
  kept = { exact, plain }
  return kept
}
