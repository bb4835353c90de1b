import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { routeGroups, routes } from '../src/http/routes/index.ts'
import { describeFlowApi, flowApiDocsPage } from '@x/flow-service/openapi'
import { createTestEngine } from '@x/test-kit'

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly inRequirements: boolean
  readonly query?: readonly { readonly name: string }[]
}

/** The operations that the interface is measured by. */
const list = new URL('../../../docs/spec/flow-api/operations.json', import.meta.url)
const { operations } = JSON.parse(readFileSync(list, 'utf8')) as { operations: Operation[] }

const document = describeFlowApi()
const paths = document['paths'] as Record<
  string,
  Record<string, { parameters?: { name: string }[] }>
>
const shape = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}')
const byShape = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${shape(path)}`, operation]),
  ),
)

describe('describeFlowApi', () => {
  test('describes every required operation with its query parameters', () => {
    const missing = operations
      .filter(({ inRequirements }) => inRequirements)
      .flatMap(({ method, path, query = [] }) => {
        const found = byShape.get(`${method.toLowerCase()} ${shape(path)}`)
        if (found === undefined) return [`${method} ${path}`]
        const names = (found.parameters ?? []).map((parameter) => parameter.name)
        return query.flatMap(({ name }) =>
          names.includes(name) ? [] : [`${method} ${path} ?${name}`],
        )
      })
    expect(missing).toEqual([])
  })

  test('describes every other operation of the original, or the differences name it as not served', () => {
    const page = new URL('../../../docs/reference/compatibility.md', import.meta.url)
    const named = Array.from(
      readFileSync(page, 'utf8').matchAll(/`((?:GET|POST|PATCH|PUT|DELETE) \/api\/\S+)`/g),
      ([, operation]) => operation,
    )
    const known = [...byShape.keys()].map((key) => key.toLowerCase().replace(/\/$/, ''))
    // GET and DELETE of an MCP address belong to the transport, which its POST stands for.
    const missing = operations
      .filter(({ path }) => !/\/mcp\/.*streamable\/?$/.test(path))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((one) => !known.includes(shape(one).toLowerCase().replace(/\/$/, '')))
    expect(missing.length).toBeGreaterThan(0)
    expect(missing.filter((one) => !named.includes(one))).toEqual([])
  })

  test('is an OpenAPI 3.1 document whose references all resolve', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.7.1' } })
    const text = JSON.stringify(document)
    const schemas = (document['components'] as { schemas: object }).schemas
    const references = Array.from(text.matchAll(/"\$ref":"([^"]+)"/g), ([, target = '']) => target)
    expect(references.length).toBeGreaterThan(50)
    for (const target of references) {
      expect(target).toMatch(/^#\/components\/schemas\/\w+$/)
      expect(schemas).toHaveProperty(target.split('/').at(-1) ?? '')
    }
    expect(text).not.toContain('$defs')
  })

  test('names each operation once and declares each path parameter', () => {
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((operation) => Reflect.get(operation, 'operationId')),
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const [path, methods] of Object.entries(paths)) {
      const wanted = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
      for (const { parameters = [] } of Object.values(methods)) {
        const given = parameters.filter((one) => Reflect.get(one, 'in') === 'path')
        expect([path, given.map(({ name }) => name)]).toEqual([path, wanted])
      }
    }
  })

  test('describes the routes that the service serves', () => {
    const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
    // A HEAD is described by the operation of its path.
    expect(count).toBe(routes.filter(({ method }) => method !== 'HEAD').length)
    expect(routeGroups.flatMap((group) => group.routes)).toEqual(routes)
  })

  test('DR-90: lists the operations for questions, answers and versions', () => {
    const named = (method: string, path: string): string =>
      String(Reflect.get(paths[path]?.[method] ?? {}, 'operationId'))
    const versions = '/api/v1/flows/{flow_id}/versions'
    expect([
      named('get', '/api/v2/workflows/pending'),
      named('post', '/api/v2/workflows/{job_id}/resume'),
      named('post', `${versions}/`),
      named('get', `${versions}/`),
      named('get', `${versions}/{version_id}`),
      named('post', `${versions}/{version_id}/activate`),
      named('delete', `${versions}/{version_id}`),
      named('get', `${versions}/{version_id}/diff/{other_id}`),
    ]).toEqual([
      'list_pending_workflows',
      'resume_workflow',
      'create_flow_version',
      'list_flow_versions',
      'read_flow_version',
      'activate_flow_version',
      'delete_flow_version',
      'compare_flow_versions',
    ])
    for (const path of ['/api/v1/run/{flow_id_or_name}', '/api/v1/build/{flow_id}/flow'])
      expect(paths[path]?.['post']?.parameters?.map(({ name }) => name)).toContain('version')
  })

  test('is served as JSON and as an HTML page', async () => {
    const { handler } = await createTestEngine()
    const served = await handler(new Request('http://host/openapi.json'))
    expect(await served.json()).toMatchObject({ openapi: '3.1.0' })
    const page = await handler(new Request('http://host/docs'))
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain('/api/v1/flows/{flow_id}')
    expect(flowApiDocsPage('/x.json')).toContain('href="/x.json"')
  })
})
