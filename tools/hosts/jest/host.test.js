const { generateKeyPairSync, sign } = require('node:crypto')
const express = require('express')
const zod = require('zod')
const { z: v4 } = require('zod/v4')
const { builtinComponents } = require('@x/flow-components')
const { createJsonQueries } = require('@x/flow-components/node')
const { createRegistry, runFlow } = require('@x/flow-engine')
const { createScriptedModel, flowBuilder } = require('@x/flow-engine/testing')
const { createFlowEngine } = require('@x/flow-service')
const { createMemoryBlobStore } = require('@x/flow-service/memory')
const { createScryptHasher } = require('@x/flow-service/node')
const { expressHandler } = require('@x/http-adapters/express')
const { createScimHandler } = require('@x/scim-core')
const { createMemoryScimStore } = require('@x/scim-core/memory')
const { createJwtAuth } = require('@x/scim-core/oauth')
const { createFlowStore, migrateFlow } = require('@x/store-kysely/flow')
const { openSqlite } = require('@x/store-kysely/sqlite')
const { defineCatalog, formatCatalog } = require('@x/surface-protocol/catalog')
const { createSurfaceBuilder, createSurfaceStore, ui } = require('@x/surface-protocol')

jest.setTimeout(60_000)

const baseUrl = 'https://app.example/scim/v2'
const USER = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ada@example.com',
}

test('HO-1 SCIM behind Express 4 provisions a user', async () => {
  const auth = { kind: 'token', token: 'secret-of-the-test' }
  const app = express()
  app.use(
    '/scim/v2',
    expressHandler(createScimHandler({ store: createMemoryScimStore(), baseUrl, auth })),
  )
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/scim/v2/Users`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${auth.token}`,
        'content-type': 'application/scim+json',
      },
      body: JSON.stringify(USER),
    })
    expect(response.status).toBe(201)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

test('HO-2 a signed token of an authorization server is accepted', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] }
  const scim = createScimHandler({
    store: createMemoryScimStore(),
    baseUrl,
    auth: createJwtAuth({ issuer: 'https://idp.example', audience: 'app', jwks, tenant: 't' }),
  })
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = {
    iss: 'https://idp.example',
    aud: 'app',
    sub: 'idp',
    scope: 'scim',
    exp: Date.now() / 1000 + 60,
  }
  const text = `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}`
  const ask = (signature) =>
    scim(
      new Request(`${baseUrl}/Users`, {
        headers: { authorization: `Bearer ${text}.${signature}` },
      }),
    )
  const signature = sign('sha256', Buffer.from(text), privateKey).toString('base64url')
  expect((await ask(signature)).status).toBe(200)
  expect((await ask(`AAAA${signature.slice(4)}`)).status).toBe(401)
})

test('a flow answers', async () => {
  const flow = flowBuilder()
  flow.add('ChatInput', { id: 'in' })
  flow.add('LanguageModelComponent', { id: 'model' })
  flow.add('ChatOutput', { id: 'out' })
  flow.connect('in.message', 'model.input_value')
  flow.connect('model.text_output', 'out.input_value')
  const components = createRegistry(builtinComponents)
  const services = { models: createScriptedModel(['four']) }
  const { result } = runFlow(flow.toJSON(), { components, input: 'two plus two?', services })
  expect((await result).text()).toBe('four')
})

test('the flow service signs a person in, over SQLite and without the library of PostgreSQL', async () => {
  const db = openSqlite(':memory:')
  await migrateFlow(db)
  const engine = createFlowEngine({
    store: createFlowStore(db),
    files: createMemoryBlobStore(),
    passwords: createScryptHasher(),
    secretKey: 'at least 32 characters of a secret',
  })
  try {
    await engine.services.users.create({
      username: 'admin',
      password: 'correct horse',
      isActive: true,
    })
    const body = new URLSearchParams({ username: 'admin', password: 'correct horse' })
    const url = 'http://app.example/api/v1/login'
    const response = await engine.handler(new Request(url, { method: 'POST', body }))
    expect(response.status).toBe(200)
  } finally {
    await engine.close()
    await db.destroy()
  }
})

test('a surface is built and kept', () => {
  const store = createSurfaceStore()
  store.applyAll(
    createSurfaceBuilder('s')
      .root(ui.Text({ text: 'Hello' }))
      .toMessages(),
  )
  expect(store.tree('s').properties.text).toBe('Hello')
})

test('HO-2 jq runs in its worker thread', async () => {
  const queries = createJsonQueries()
  const { signal } = new AbortController()
  try {
    expect(await queries.query('.a + 1', { a: 41 }, { signal })).toEqual([42])
  } finally {
    await queries.close()
  }
})

test('HO-6 the zod of the app stays version 3, and the zod 4 that it contains describes a catalog', () => {
  expect(zod.z.looseObject).toBeUndefined()
  const catalogId = 'https://app.example/catalog'
  const components = { Price: v4.object({ amount: v4.number().describe('In cents') }) }
  const catalog = defineCatalog({ catalogId, components })
  expect(JSON.stringify(formatCatalog(catalog))).toContain('In cents')
  const old = { Price: zod.z.object({}) }
  expect(() => defineCatalog({ catalogId, components: old })).toThrow(
    "must be a zod 4 schema, got a zod 3 schema; import it from 'zod/v4'",
  )
})
