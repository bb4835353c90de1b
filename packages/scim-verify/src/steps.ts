import type { CycleStep, Expectation, Matcher } from './cycle.ts'

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

type More = Omit<Partial<CycleStep>, 'id' | 'title' | 'request' | 'expect'> & {
  readonly headers?: Readonly<Record<string, string>>
}

/** A check, `required` unless `more` says otherwise. `request`: method and path. */
export function step(
  id: string,
  title: string,
  request: string,
  {
    body,
    expect,
    headers,
    level = 'required',
    ...more
  }: More & { readonly body?: unknown; readonly expect: Expectation },
): CycleStep {
  const [method = 'GET', ...path] = request.split(' ')
  return {
    id,
    level,
    title,
    request: {
      method,
      path: path.join(' '),
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
    },
    expect,
    ...more,
  }
}

/** An answer with one of the statuses and such a body. */
export function answer(status: number | readonly number[], body?: Matcher): Expectation {
  return {
    status: typeof status === 'number' ? [status] : status,
    ...(body !== undefined && { body }),
  }
}

export const contains = (part: unknown): Matcher => ({ contains: part })

/** The userName of a made user. */
export const name = (n: number | string): string => `x-scim-{{run}}-${n}@{{domain}}`
/** The displayName of a made group. */
export const groupName = (n: number | string): string => `x-scim-{{run}}-${n}`

/** A change and the state that a later GET must show: 200 and 204 are both right. */
export function patch(
  id: string,
  title: string,
  {
    path,
    operations,
    shows,
    lacks,
    ...more
  }: More & {
    readonly path: string
    readonly operations: readonly object[]
    readonly shows?: object
    readonly lacks?: object
  },
): CycleStep {
  return step(id, title, `PATCH ${path}`, {
    needs: 'patch',
    ...more,
    body: { schemas: [PATCH_OP], Operations: operations },
    expect: answer([200, 204]),
    after: {
      path,
      expect: answer(200, {
        ...(shows !== undefined && { contains: shows }),
        ...(lacks !== undefined && { lacks }),
      }),
    },
  })
}
