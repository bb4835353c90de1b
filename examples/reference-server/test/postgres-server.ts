export { setup } from '../../../packages/store-kysely/test/postgres-server.ts'
