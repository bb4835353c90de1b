import { defineAdapterContract } from './adapter-contract.ts'
import { nodeMount, genuineMount } from './mounts.ts'

defineAdapterContract(nodeMount)
defineAdapterContract(genuineMount)
