import { defineAdapterContract } from './adapter-contract.ts'
import { honoMount } from './mounts.ts'

defineAdapterContract(honoMount)
