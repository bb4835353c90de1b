import { defineAdapterContract } from './adapter-contract.ts'
import { honoMount, honoOracle } from './mounts.ts'

defineAdapterContract(honoMount)
defineAdapterContract(honoOracle)
