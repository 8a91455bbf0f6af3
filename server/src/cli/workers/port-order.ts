import type { PortPlace } from '../../base/descriptors/leave-port.ts'

/**
 * The order in which the kernel keeps the sockets that listen on one port: a new one is the last, and the last one takes the
 * place of one that is closed. After two workers died at the same moment the order may be wrong: then a worker that leaves still
 * gets connections until it closes its socket.
 */
export class PortOrder<Member> {
  readonly #members: Member[] = []

  join(member: Member): void {
    this.#members.push(member)
  }

  leave(member: Member): void {
    const index = this.#members.indexOf(member)
    if (index === -1) return
    const last = this.#members.pop()
    if (last !== undefined && index < this.#members.length) this.#members[index] = last
  }

  placeOf(member: Member): PortPlace {
    return { index: this.#members.indexOf(member), of: this.#members.length }
  }
}
