// Writes the operations of the flow API into docs/reference/operations.md:
//   node --import tsx --conditions=@x/source tools/operation-reference.ts
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeFlowApi } from '@x/flow-service/openapi'
import { formatText } from './format-text.ts'

const PAGE = fileURLToPath(new URL('../docs/reference/operations.md', import.meta.url))

interface Operation {
  readonly summary?: string
  readonly deprecated?: boolean
  readonly tags?: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

interface Row {
  readonly tag: string
  readonly cells: readonly string[]
}

/** The page, made from the same table as the OpenAPI document of the service. */
export async function operationReference(): Promise<{ page: string; path: string }> {
  const paths = describeFlowApi()['paths'] as Record<string, Record<string, Operation>>
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => !(path.endsWith('/') && method in (paths[path.slice(0, -1)] ?? {})))
      .map(([method, operation]) => rowOf(method, path, operation)),
  )
  const tags = [...new Set(rows.map(({ tag }) => tag))]
  const sections = tags.map((tag) => sectionOf(tag, rows))
  const page = await formatText(PAGE, [head(rows.length), ...sections].join('\n'))
  return { page, path: PAGE }
}

const head = (count: number): string => `# Operations of the flow API

The ${count} operations of \`createFlowService\`, generated from the table that routes requests. A running server describes
them with schemas at \`/openapi.json\` and lets you try them at \`/docs\`.

Credentials: \`user\` is an access token or an API key, \`visitor\` the cookie \`client_id\` of a visitor of a public flow,
and a dash means that the operation checks none. Where a path works with and without a slash at its end, it is listed
without one. The [specification](../spec/README.md) describes what each operation does.
`

function sectionOf(tag: string, rows: readonly Row[]): string {
  const lines = rows.filter((row) => row.tag === tag).map(({ cells }) => `| ${cells.join(' | ')} |`)
  return [
    `## ${tag}\n`,
    '| operation | method and path | query | credentials |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n')
}

function rowOf(method: string, path: string, operation: Operation): Row {
  const { summary = '', deprecated = false, tags = [], parameters = [] } = operation
  const query = parameters.filter((parameter) => parameter.in === 'query')
  return {
    tag: tags[0] ?? 'Other',
    cells: [
      `${summary}${deprecated ? ' (deprecated)' : ''}`,
      `\`${method.toUpperCase()} ${path}\``,
      query.map(({ name }) => `\`${name}\``).join(', '),
      credentialsOf(operation),
    ],
  }
}

function credentialsOf({ security = [] }: Operation): string {
  const names = security.flatMap((scheme) => Object.keys(scheme))
  const kinds = [
    ...(names.includes('bearer') ? ['user'] : []),
    ...(names.includes('clientId') ? ['visitor'] : []),
  ]
  return kinds.length === 0 ? '-' : kinds.join(', ')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { page, path } = await operationReference()
  writeFileSync(path, page)
}
