import { defineAdapterContract } from './adapter-contract.ts'
import { nodeMount } from './mounts.ts'

defineAdapterContract(nodeMount)
