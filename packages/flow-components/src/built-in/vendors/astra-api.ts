import { isObject } from '@x/wire'
import { trimSlashes } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { recordsIn, requireSuccess, shortMessage, textIn, vendorRequest } from './vendor-request.ts'

const DATABASES = 'https://api.devops.astra.datastax.com/v2/databases'

/** The address and credentials of the Astra DB Data API. */
export interface AstraAccess {
  readonly token: string
  readonly endpoint: string
  readonly keyspace: string
}

export type AstraDocument = Record<string, unknown>

/** An error of the Data API, which is sent with status 200. */
export class AstraError extends TypeError {
  override readonly name = 'AstraError'
  readonly codes: readonly string[]

  constructor(message: string, codes: readonly string[]) {
    super(`Astra DB: ${shortMessage(message)}`)
    this.codes = codes
  }
}

/** Sends a command to a collection or to the keyspace. @throws AstraError */
export async function astraCommand(
  access: AstraAccess,
  { collection, command }: { readonly collection?: string; readonly command: object },
  ctx: ComponentContext,
): Promise<Record<string, unknown>> {
  const parts = [access.keyspace, ...(collection === undefined ? [] : [collection])]
  const path = parts.map(encodeURIComponent).join('/')
  const answer = await vendorRequest(
    {
      url: `${trimSlashes(access.endpoint)}/api/json/v1/${path}`,
      headers: { Token: access.token },
      body: command,
      // Documents have ids, so a repeated request adds nothing.
      secrets: [access.token],
    },
    ctx,
  )
  const { body } = requireSuccess('Astra DB', answer)
  const found = isObject(body) ? body : {}
  const errors = recordsIn(found.errors)
  if (errors.length > 0) {
    throw new AstraError(
      textIn(errors[0]?.message),
      errors.map(({ errorCode }) => textIn(errorCode)),
    )
  }
  return found
}

/** Returns the endpoint of the active database with this name. @throws TypeError if there is none */
export async function astraEndpoint(
  name: string,
  token: string,
  ctx: ComponentContext,
): Promise<string> {
  const answer = await vendorRequest(
    { url: DATABASES, headers: { authorization: `Bearer ${token}` }, secrets: [token] },
    ctx,
  )
  const { body } = requireSuccess('Astra DB', answer)
  const found = recordsIn(body).find(
    ({ info, status }) => isObject(info) && info.name === name && status === 'ACTIVE',
  )
  if (found === undefined || !isObject(found.info)) {
    throw new TypeError(`Astra DB database '${name}' not found.`)
  }
  const [id, region] = [textIn(found.id), textIn(found.info.region)]
  return `https://${id}-${region}.apps.astra.datastax.com`
}
