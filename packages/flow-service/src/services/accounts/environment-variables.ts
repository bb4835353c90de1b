import type { ServiceDependencies } from '../base/dependencies.ts'

/** Copies the environment variables named in the settings to a user. */
export async function saveEnvironmentVariables(
  { store, secrets, settings, runtime }: ServiceDependencies,
  userId: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  if (!settings.storeEnvironmentVariables) return
  for (const name of settings.variablesToGetFromEnvironment) {
    const clear = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (clear === undefined || clear === '') continue
    const value = await secrets.seal(clear, userId)
    const now = runtime.now()
    await store.transaction(async (tx) => {
      const known = await tx.variables.findByName(userId, name)
      if (known !== null) {
        await tx.variables.update(userId, known.id, { value, updatedAt: now })
        return
      }
      await tx.variables.insert({
        id: runtime.uuid(),
        userId,
        name,
        type: 'Credential',
        value,
        defaultFields: [],
        createdAt: now,
        updatedAt: now,
      })
    })
  }
}
