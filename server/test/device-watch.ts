const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
/** Shorter device ids may occur by chance. */
const TELLING = 12

/** The nil and the max UUID are refused as devices, and stand in openapi.json. */
const isNobody = (id: string): boolean => /^(?:[0-]+|[f-]+)$/i.test(id)

/** Records the device ids that were sent, and finds them in output. */
export class DeviceWatch {
  readonly #uuids = new Set<string>()
  readonly #names = new Set<string>()

  note(header: string | null, json: unknown): void {
    const external =
      typeof json === 'object' && json !== null && 'externalDeviceId' in json ? json.externalDeviceId : null
    for (const id of [header, external]) {
      if (typeof id !== 'string' || id.length < TELLING || isNobody(id)) continue
      if (id.length === 36 && id.match(UUID)) this.#uuids.add(id.toLowerCase())
      else this.#names.add(id)
    }
  }

  assertAbsent(where: string, texts: Iterable<string>): void {
    for (const text of texts) {
      const uuid = text.match(UUID)?.find((found) => this.#uuids.has(found.toLowerCase()))
      const name = uuid ?? [...this.#names].find((known) => text.includes(known))
      if (name !== undefined) throw new Error(`${where} holds the device id ${name}: ${text.slice(0, 500)}`)
    }
  }
}
