import { defineAdapterContract } from './adapter-contract.ts'
import { nextMount } from './mounts.ts'

defineAdapterContract(nextMount)
