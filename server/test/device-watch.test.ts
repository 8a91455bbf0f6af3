import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { DeviceWatch } from './device-watch.ts'

test('the watch of the tests finds sent device ids in any spelling, and nothing else', () => {
  const watch = new DeviceWatch()
  const [header, external, other] = [randomUUID(), randomUUID(), randomUUID()]
  watch.note(header.toUpperCase(), null)
  watch.note(null, { externalDeviceId: external })
  watch.note(null, { externalDeviceId: 'the phone of somebody' })
  watch.note('x', { externalDeviceId: 7 })
  watch.assertAbsent('here', [other, 'x', '', `{"id":"${other}"}`])
  for (const text of [header, external.toUpperCase(), `a ${other} b ${header} c`, 'by the phone of somebody!']) {
    expect(() => watch.assertAbsent('here', ['fine', text])).toThrow('here holds the device id')
  }
})
