import { defineAdapterContract } from './adapter-contract.ts'
import { expressMount, express4Mount } from './mounts.ts'

defineAdapterContract(expressMount)
defineAdapterContract(express4Mount)
