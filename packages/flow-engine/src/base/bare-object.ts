/**
 * An object of own properties only: it inherits nothing, so names that strangers choose (`constructor`,
 * `__proto__`) are properties like all others. Unlike `Object.create(null)` it has a hidden class, and unlike
 * `Object.setPrototypeOf({}, null)` it takes a tenth of the time to create.
 */
export class BareObject {
  [name: string]: unknown
}

Reflect.deleteProperty(BareObject.prototype, 'constructor')
Object.setPrototypeOf(BareObject.prototype, null)
