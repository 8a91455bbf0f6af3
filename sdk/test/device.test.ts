import { afterEach, describe, expect, test } from 'bun:test'
import { DEVICE_KEY, Device } from '../src/device.ts'
import { browserStore, type KeyValueStore, memoryStore } from '../src/storage.ts'

const ID = '0d5f5a0e-1111-4222-8333-444455556666'

function withLocalStorage(descriptor: PropertyDescriptor): void {
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, ...descriptor })
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'localStorage')
})

describe('a device', () => {
  // spec: 5-2
  test('gets an id at its first use, and keeps it', async () => {
    const storage = memoryStore()
    const device = new Device(storage)
    expect(await device.known()).toBeNull()
    const [one, two] = await Promise.all([device.id(), device.id()])
    expect(one).toBe(two)
    expect(await new Device(storage).known()).toBe(one)
  })

  test('a stored id is used; a stored value that is no UUID is replaced; a given id takes precedence', async () => {
    const storage = memoryStore()
    await storage.setItem(DEVICE_KEY, ID.toUpperCase())
    expect(await new Device(storage).id()).toBe(ID.toUpperCase())
    await storage.setItem(DEVICE_KEY, 'junk')
    expect(await new Device(storage).known()).toBeNull()
    expect(await new Device(storage).id()).toMatch(/^[0-9a-f-]{36}$/)
    expect([await new Device(storage, ID).known(), await new Device(storage, ID).id()]).toEqual([ID, ID])
  })
})

describe('localStorage', () => {
  test('is used where it exists', async () => {
    const kept = memoryStore()
    withLocalStorage({ value: kept })
    const id = await new Device(browserStore()).id()
    expect(await kept.getItem(DEVICE_KEY)).toBe(id)
    expect(await new Device(browserStore()).known()).toBe(id)
  })

  test('that is denied is treated as missing: the id lasts as long as the page', async () => {
    const denied = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    const full: KeyValueStore = { getItem: () => null, setItem: denied }
    for (const descriptor of [
      { get: denied },
      { value: { getItem: denied, setItem: denied } },
      { value: full },
      { value: null },
    ]) {
      withLocalStorage(descriptor)
      const device = new Device(browserStore())
      expect(await device.known()).toBeNull()
      const id = await device.id()
      expect([await device.id(), await device.known()]).toEqual([id, id])
      expect(await new Device(browserStore()).known()).toBeNull()
    }
  })
})
