import { invalidRequest } from '../../errors.ts'
import { ownObject } from '@x/wire'
import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import type { NamedInputs } from './run-options.ts'

/** Field values for one run, by vertex position. */
export type VertexInputs = ReadonlyMap<number, ReadonlyMap<string, unknown>>

const NONE: VertexInputs = new Map()

/**
 * Resolves inputs by vertex id, else by display name.
 * @throws FlowError `invalid_request` naming the key that is unknown, ambiguous or fed by an edge
 */
export function readNamedInputs(graph: PlanGraph, inputs: NamedInputs | undefined): VertexInputs {
  if (inputs === undefined) return NONE
  const found = new Map<number, ReadonlyMap<string, unknown>>()
  for (const [key, fields] of Object.entries(inputs)) {
    const vertex = vertexOf(graph, key)
    const names = Object.keys(fields)
    for (const name of names) checkField(vertex, name)
    if (found.has(vertex.index)) throw invalidRequest(`inputs names the vertex ${vertex.id} twice`)
    const isWebhook = vertex.component.type === 'Webhook'
    found.set(
      vertex.index,
      new Map(isWebhook ? Object.entries(fields).map(payloadText) : Object.entries(fields)),
    )
  }
  return found
}

function vertexOf(graph: PlanGraph, key: string): PlanVertex {
  const index = graph.indexOf.get(key)
  const own = index === undefined ? undefined : graph.vertices[index]
  if (own !== undefined) return own
  const [named, ...others] = graph.vertices.filter(({ displayName }) => displayName === key)
  if (named === undefined) throw invalidRequest(`inputs: there is no vertex ${key}`)
  if (others.length === 0) return named
  const ids = [named, ...others].map(({ id }) => id).join(', ')
  throw invalidRequest(`inputs: several vertices are called ${key}; use one of the ids ${ids}`)
}

/** A webhook gets the text of a request. */
const payloadText = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  name === 'data' && typeof value !== 'string' ? JSON.stringify(value) : value,
]

function checkField(vertex: PlanVertex, name: string): void {
  const { template, component, displayName, incoming } = vertex
  if (name === 'code') throw invalidRequest(`inputs: the code of ${displayName} cannot be given`)
  const isKnown = Object.hasOwn(component.inputs, name) || ownObject(template, name) !== undefined
  if (!isKnown) throw invalidRequest(`inputs: ${displayName} has no field ${name}`)
  if (incoming.some((edge) => edge.field === name && !edge.self))
    throw invalidRequest(`inputs: the field ${name} of ${displayName} is fed by an edge`)
}
