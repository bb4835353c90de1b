// Every entry loads by `require` and by `import`, with the same names; one copy where Node shares modules, and
// otherwise two that get on.
const { test } = require('node:test')
const assert = require('node:assert')
const { readFileSync, readdirSync } = require('node:fs')
const { join } = require('node:path')

const FAMILY = join(__dirname, 'node_modules/@x')
const shared = process.features.require_module === true

for (const name of readdirSync(FAMILY)) {
  const manifest = JSON.parse(readFileSync(join(FAMILY, name, 'package.json'), 'utf8'))
  for (const key of Object.keys(manifest.exports))
    if (key !== './package.json')
      test(`HO-1 HO-14 ${manifest.name}${key.slice(1)} loads both ways`, async () => {
        const entry = manifest.name + key.slice(1)
        const required = require(entry)
        const imported = await import(entry)
        const names = (module) =>
          Object.keys(module)
            .filter((one) => one !== 'module.exports' && one !== 'default')
            .toSorted()
        assert.notDeepEqual(names(imported), [])
        assert.deepEqual(names(required), names(imported))
        for (const one of names(imported))
          if (typeof imported[one] === 'function')
            assert.equal(imported[one] === required[one], shared, `${entry} ${one}`)
      })
}

test('HO-5 HO-12 no package brings source maps or install scripts', () => {
  for (const name of readdirSync(FAMILY)) {
    const { scripts = {} } = JSON.parse(readFileSync(join(FAMILY, name, 'package.json'), 'utf8'))
    assert.deepEqual(Object.keys(scripts), [])
    const maps = readdirSync(join(FAMILY, name), { recursive: true }).filter((one) =>
      one.endsWith('.map'),
    )
    assert.deepEqual(maps, [])
  }
})

test('HO-4 a store of one copy reports a taken name to a handler of the other', async () => {
  const { createScimHandler } = await import('@x/scim-core')
  const { createMemoryScimStore } = require('@x/scim-core/memory')
  const scim = createScimHandler({
    store: createMemoryScimStore(),
    baseUrl: 'https://app.example/scim/v2',
    auth: { kind: 'token', token: 'secret-of-the-test' },
  })
  const create = () =>
    scim(
      new Request('https://app.example/scim/v2/Users', {
        method: 'POST',
        headers: {
          authorization: 'Bearer secret-of-the-test',
          'content-type': 'application/scim+json',
        },
        body: JSON.stringify({
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: 'ada@example.com',
        }),
      }),
    )
  assert.equal((await create()).status, 201)
  assert.equal((await create()).status, 409)
})

test('HO-4 components and models of one copy run in the engine of the other', async () => {
  const { runFlow } = await import('@x/flow-engine')
  const { createRegistry } = require('@x/flow-engine')
  const { builtinComponents } = require('@x/flow-components')
  const { createScriptedModel, flowBuilder } = require('@x/flow-engine/testing')
  const flow = flowBuilder()
  flow.add('ChatInput', { id: 'in' })
  flow.add('LanguageModelComponent', { id: 'model' })
  flow.add('ChatOutput', { id: 'out' })
  flow.connect('in.message', 'model.input_value')
  flow.connect('model.text_output', 'out.input_value')
  const ask = (replies) =>
    runFlow(flow.toJSON(), {
      components: createRegistry(builtinComponents),
      input: 'two plus two?',
      services: { models: createScriptedModel(replies) },
    }).result
  assert.equal((await ask(['four'])).text(), 'four')
  const failed = await ask([{ fail: new Error('429 Too Many Requests') }])
  assert.equal(failed.status, 'failed')
})

test('HO-4 SQL stores of one copy serve the flow service of the other', async () => {
  const { createFlowEngine } = await import('@x/flow-service')
  const { createMemoryBlobStore } = require('@x/flow-service/memory')
  const { createScryptHasher } = await import('@x/flow-service/node')
  const { openSqlite } = require('@x/store-kysely/sqlite')
  const { createFlowStore, createJobStore, migrateFlow } = require('@x/store-kysely/flow')
  const db = openSqlite(':memory:')
  await migrateFlow(db)
  const engine = createFlowEngine({
    store: createFlowStore(db),
    jobs: createJobStore(db),
    files: createMemoryBlobStore(),
    passwords: createScryptHasher(),
    secretKey: 'at least 32 characters of a secret',
  })
  const ada = { username: 'ada', password: 'correct horse', isActive: true }
  await engine.services.users.create(ada)
  const again = engine.services.users.create(ada)
  await assert.rejects(again, ({ status }) => status === 400)
  await engine.close()
  await db.destroy()
})
