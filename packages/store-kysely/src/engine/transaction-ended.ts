/** Thrown when a transaction is used after its end; nothing is written (SH-17). */
export function transactionEnded(): TypeError {
  return new TypeError('The transaction has ended')
}
