export { definePortalStoreContract } from './contract/define.ts'
