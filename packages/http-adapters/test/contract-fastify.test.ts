import { defineAdapterContract } from './adapter-contract.ts'
import { fastifyMount } from './mounts.ts'

defineAdapterContract(fastifyMount)
