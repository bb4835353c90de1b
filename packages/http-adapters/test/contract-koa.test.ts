import { defineAdapterContract } from './adapter-contract.ts'
import { koaMount } from './mounts.ts'

defineAdapterContract(koaMount)
