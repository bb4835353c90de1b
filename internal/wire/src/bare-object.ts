/**
 * An object with own properties only: it inherits nothing, so untrusted names such as `constructor` and
 * `__proto__` are ordinary properties. Unlike `Object.create(null)` it has a hidden class, and unlike
 * `Object.setPrototypeOf({}, null)` it takes a tenth of the time to create.
 */
export class BareObject {
  [name: string]: unknown
}

Reflect.deleteProperty(BareObject.prototype, 'constructor')
Object.setPrototypeOf(BareObject.prototype, null)
