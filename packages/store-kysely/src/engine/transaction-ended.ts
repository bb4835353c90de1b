/** Thrown when a transaction is used after its end; nothing is written. */
export function transactionEnded(): TypeError {
  return new TypeError('The transaction has ended')
}
