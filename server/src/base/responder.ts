/** How work ends that answers by a call instead of a promise: one of the two is called, once. */
export interface Responder<T> {
  answer(value: T): void
  fail(error: unknown): void
}
