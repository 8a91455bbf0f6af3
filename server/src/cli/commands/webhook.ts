import { setTimeout as pause } from 'node:timers/promises'
import { printableJson } from '../../base/text.ts'
import { EVENT_TYPES, type EventType } from '../../events/event-catalogue.ts'
import { openListener } from '../../features/webhooks/sending/listener.ts'
import { type Command, optionalText, requiredText, UsageError } from '../command.ts'
import { stopSignal } from '../stop-service.ts'
import { brandNamed, withDatabase } from '../with-database.ts'

const LOOK_EVERY_MS = 250

export const webhookListen: Command = {
  words: 'webhook listen',
  usage: '--brand SLUG [--events TYPE,TYPE]',
  summary: 'Print the events of a brand as they happen, until Ctrl-C; --json prints one object per line',
  options: {
    brand: { type: 'string', about: 'The slug of the brand' },
    events: { type: 'string', about: 'The types of events, comma-separated; all of them by default' },
  },
  run(given) {
    const slug = requiredText(given, 'brand')
    const events = readEvents(optionalText(given, 'events'))
    const isJson = given.values['json'] === true
    return withDatabase(async (deps) => {
      const brand = await brandNamed(deps.engine.db, slug)
      const stopping = stopSignal()
      const listener = await openListener(deps, { brandKey: brand.key, events })
      console.error(`Listening to ${slug}. Press Ctrl-C to stop.`)
      try {
        while (!stopping.aborted) {
          for (const event of await listener.take()) console.log(isJson ? asJson(event) : asText(event))
          await pause(LOOK_EVERY_MS, undefined, { signal: stopping }).catch(() => undefined)
        }
      } finally {
        await listener.close()
      }
      return null
    })
  },
}

function readEvents(list: string | null): readonly EventType[] {
  if (list === null) return EVENT_TYPES
  const names = list.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !EVENT_TYPES.some((type) => type === name))
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is not an event. Events: ${EVENT_TYPES.join(', ')}.`)
  return EVENT_TYPES.filter((type) => names.includes(type))
}

interface Printed {
  readonly id: string
  readonly payload: string
}

const asJson = ({ id, payload }: Printed): string => printableJson({ id, ...JSON.parse(payload) })

function asText({ payload }: Printed): string {
  const { type, timestamp, data } = JSON.parse(payload) as { type: string; timestamp: string; data: unknown }
  return `${timestamp}  ${type}  ${printableJson(data)}`
}
