// Writes the attributes of users and groups into docs/reference/scim-attributes.md:
//   node --import tsx --conditions=@x/source tools/scim-attribute-reference.ts
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createScimService } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { formatText } from './format-text.ts'

const PAGE = fileURLToPath(new URL('../docs/reference/scim-attributes.md', import.meta.url))
const BASE = 'https://app.example/scim/v2'
const TOKEN = 'a-token-of-the-generator'

interface Attribute {
  readonly name: string
  readonly type: string
  readonly multiValued: boolean
  readonly description?: string
  readonly required: boolean
  readonly caseExact?: boolean
  readonly mutability: string
  readonly returned: string
  readonly uniqueness?: string
  readonly canonicalValues?: readonly string[]
  readonly subAttributes?: readonly Attribute[]
}

interface Schema {
  readonly id: string
  readonly name: string
  readonly attributes: readonly Attribute[]
}

/** The page, made from the answer of a service with default options at /Schemas. */
export async function scimAttributeReference(): Promise<{ page: string; path: string }> {
  const { handle } = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
  })
  const headers = { authorization: `Bearer ${TOKEN}` }
  const response = await handle(new Request(`${BASE}/Schemas`, { headers }))
  const { Resources } = (await response.json()) as { Resources: Schema[] }
  const served = Resources.filter(({ id }) => /:(User|Group)$/.test(id))
  const page = await formatText(PAGE, [HEAD, ...served.map(sectionOf)].join('\n'))
  return { page, path: PAGE }
}

const HEAD = `# SCIM attributes

The attributes of users and groups with default options, generated from \`/Schemas\`. A \`[]\` marks a list. Strings are
compared without case unless "exact" is listed. The attributes that each directory sends are in
[Connect an identity provider](../guides/scim-connect.md); your own are [extensions](scim-options.md).
`

function sectionOf({ id, name, attributes }: Schema): string {
  return [
    `## ${name}\n`,
    `\`${id}\`\n`,
    '| attribute | type | rules | meaning |',
    '| --- | --- | --- | --- |',
    ...attributes.flatMap((attribute) => rowsOf(attribute, '')),
    '',
  ].join('\n')
}

function rowsOf(attribute: Attribute, parent: string): string[] {
  const { name, type, multiValued, description = '', subAttributes = [] } = attribute
  const path = `${parent}${name}${multiValued ? '[]' : ''}`
  return [
    `| \`${path}\` | ${type} | ${rulesOf(attribute)} | ${description}${valuesOf(attribute)} |`,
    ...subAttributes.flatMap((sub) => rowsOf(sub, `${path}.`)),
  ]
}

function rulesOf({
  required,
  caseExact,
  mutability,
  returned,
  uniqueness,
  type,
}: Attribute): string {
  return [
    ...(required ? ['required'] : []),
    ...(mutability === 'readWrite' ? [] : [mutability]),
    ...(returned === 'default' ? [] : [`returned: ${returned}`]),
    ...(uniqueness === undefined || uniqueness === 'none' ? [] : ['unique']),
    ...(caseExact === true && type === 'string' ? ['exact'] : []),
  ].join(', ')
}

const valuesOf = ({ canonicalValues = [] }: Attribute): string =>
  canonicalValues.length === 0
    ? ''
    : ` Usual values: ${canonicalValues.map((value) => `\`${value}\``).join(', ')}.`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { page, path } = await scimAttributeReference()
  writeFileSync(path, page)
}
