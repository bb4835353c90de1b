import { defineAdapterContract } from './adapter-contract.ts'
import { expressMount } from './mounts.ts'

defineAdapterContract(expressMount)
