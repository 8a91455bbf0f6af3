import { EVENT_TYPES, EVENTS } from '../src/events/event-catalogue.ts'

/** The file of the console that says when each event is sent, for events without words of their own there. */
export const consoleEventsFile = new URL('../../console/src/words/event-meanings.ts', import.meta.url)

export const consoleEvents = (): string => `// Made by \`npm run facts\` from server/src/events/event-catalogue.ts.
import type { WebhookEventType } from '../../../sdk/src/index.ts'

/** When each event is sent, in the order of the reference, in English. */
export const EVENT_MEANINGS: Readonly<Record<WebhookEventType, string>> = {
${EVENT_TYPES.map((type) => `  '${type}': ${quoted(EVENTS[type].when)},`).join('\n')}
}
`

const quoted = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)
