import type { Component } from '../../src/components/define/component.ts'
import { createNode } from '../../src/components/node/create-node.ts'
import type { FlowNode } from '../../src/graph/flow/node-json.ts'
import { refreshNode } from '../../src/components/node/refresh-node.ts'
import type { ComponentServices } from '../../src/components/define/services.ts'
import { differences, isObject } from './golden-compare.ts'
import type { GoldenCase } from './golden-case.ts'

/** The differences that the editor would see, compared with the recording. */
export async function updateDifferences(
  component: Component,
  recorded: GoldenCase,
  inputs: Record<string, unknown>,
  services: ComponentServices,
): Promise<string[]> {
  if (recorded.update === undefined) return []
  const before = createNode(component, { values: inputs })
  const after = await refreshNode(component, before, recorded.update, { services })
  const changes = recorded.expect.template_changes ?? {}
  return [
    ...fieldDifferences(before, after, changes, recorded.update.field),
    ...outputDifferences(before, after, recorded.expect.outputs),
  ]
}

const LEFT_OUT = new Set(['info', 'code', 'name'])

function fieldDifferences(
  before: FlowNode,
  after: FlowNode,
  expected: NonNullable<GoldenCase['expect']['template_changes']>,
  changed: string,
): string[] {
  const old = before.data.node.template
  const now = after.data.node.template
  const names = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...names].flatMap((name) => {
    if (name === '_type' || name === 'code') return []
    const wanted = expected[name]
    if (now[name] === undefined) {
      return wanted === null ? [] : [`${name}: the field is gone`]
    }
    if (old[name] === undefined) {
      if (!isObject(wanted)) return [`${name}: a field that was not there`]
      return attributeDifferences(now[name], wanted, name)
    }
    const differing = Object.fromEntries(
      [...new Set([...Object.keys(old[name]), ...Object.keys(now[name])])]
        .filter((key) => !isFree(key) && !(name === changed && /^(value|file_path)$/.test(key)))
        .filter((key) => differences(now[name]?.[key], old[name]?.[key]).length > 0)
        .map((key) => [key, now[name]?.[key] ?? null]),
    )
    return compareChanges(differing, wanted ?? {}, name)
  })
}

function compareChanges(
  differing: Record<string, unknown>,
  wanted: Record<string, unknown>,
  name: string,
): string[] {
  const keys = new Set([...Object.keys(differing), ...Object.keys(wanted)])
  return [...keys]
    .filter((key) => !isFree(key))
    .filter((key) => !(key === 'input_types' && isEmpty(differing[key]) && isEmpty(wanted[key])))
    .flatMap((key) => attributeDifferences(differing, { [key]: wanted[key] }, name))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function isFree(key: string): boolean {
  return LEFT_OUT.has(key) || key.startsWith('trace_')
}

function attributeDifferences(
  field: Record<string, unknown>,
  wanted: Record<string, unknown>,
  name: string,
): string[] {
  return Object.entries(wanted)
    .filter(([key]) => !isFree(key))
    .flatMap(([key, value]) => {
      const actual = field[key]
      if (isObject(value) && '$first' in value && Array.isArray(actual)) {
        const { $first: first, $count: count } = value as { $first: unknown[]; $count: number }
        const shown = { first: actual.slice(0, first.length), count: actual.length }
        return differences(shown, { first, count }, { path: `${name}.${key}` })
      }
      return differences(actual, value, { path: `${name}.${key}` })
    })
}

function outputDifferences(before: FlowNode, after: FlowNode, expected: unknown): string[] {
  const pick = (node: FlowNode) =>
    (node.data.node.outputs ?? []).map(({ name, display_name, method, types }) => ({
      name,
      display_name,
      method,
      types,
    }))
  const wanted = expected === 'unchanged' ? pick(before) : expected
  return differences(pick(after), wanted, { path: 'outputs' })
}
