import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FlowJson } from '@x/flow-engine'
import type { TemplateField } from '../../src/graph/flow/node-json.ts'

/** One folder for each version, with its starter flows. */
const folder = process.env.FLOW_STARTERS ?? ''

export const hasStarters = folder !== '' && existsSync(folder)
export const startersNote = hasStarters
  ? ''
  : ' (skipped: FLOW_STARTERS names no folder with starter flows of newer versions)'

export function starterNames(version: string): string[] {
  if (!hasStarters || !existsSync(join(folder, version))) return []
  return readdirSync(join(folder, version))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
}

export function starterText(version: string, name: string): string {
  return readFileSync(join(folder, version, `${name}.json`), 'utf8')
}

const MODELS = {
  language: [{ name: 'gpt-4o-mini', provider: 'OpenAI' }],
  embedding: [{ name: 'text-embedding-3-small', provider: 'OpenAI' }],
}
const NAMES: Readonly<Record<string, string>> = {
  knowledge_base: 'knowledge',
  memory_base: 'memory',
  database_name: 'database',
  collection_name: 'collection',
  collection_id: 'collection',
}

/**
 * The choices of a person after the import: models, files, names, and variables for the keys of
 * vendors. No key is typed into a node.
 */
export function prepared(text: string): FlowJson {
  const flow = JSON.parse(text) as FlowJson
  for (const node of flow.data?.nodes ?? []) {
    const template = node.data.node?.template ?? {}
    const hasPicker = Object.values(template).some(isPicker)
    for (const [name, field] of Object.entries(template)) {
      if (typeof field !== 'object' || field === null || name === 'code') continue
      fill(name, field, hasPicker)
    }
  }
  return flow
}

function isPicker(field: unknown): boolean {
  return typeof field === 'object' && field !== null && Reflect.get(field, 'type') === 'model'
}

function fill(name: string, field: TemplateField, hasPicker: boolean): void {
  const isBlank = field.value === '' || field.value === null || field.value === undefined
  if (field.type === 'model') {
    field.value = MODELS[field.model_type === 'embedding' ? 'embedding' : 'language']
  } else if (field.type === 'file') {
    field.file_path = fileFor(field)
  } else if (isBlank && NAMES[name] !== undefined) {
    // The editor shows the next choice once one is made.
    Object.assign(field, { value: NAMES[name], show: true })
  } else if (
    field.password === true &&
    field.show !== false &&
    !(hasPicker && name === 'api_key')
  ) {
    Object.assign(field, { value: 'VENDOR_KEY', load_from_db: true })
  }
}

function fileFor(field: TemplateField): string[] {
  const types: readonly unknown[] = Array.isArray(field.fileTypes) ? field.fileTypes : []
  return [types.includes('txt') || types.length === 0 ? 'notes.txt' : `notes.${String(types[0])}`]
}
