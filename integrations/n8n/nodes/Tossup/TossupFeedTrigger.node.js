const { eventsField, request } = require('./request.js')

/** Asks for new events from time to time: for an n8n that the service cannot reach. */
exports.TossupFeedTrigger = class TossupFeedTrigger {
  description = {
    displayName: 'Tossup Feed Trigger',
    name: 'tossupFeedTrigger',
    icon: 'file:tossup.svg',
    group: ['trigger'],
    version: 1,
    description: 'Starts the workflow when something happened to a poll, by asking from time to time',
    defaults: { name: 'Tossup Feed Trigger' },
    polling: true,
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'tossupApi', required: true }],
    properties: [eventsField],
  }

  async poll() {
    const types = this.getNodeParameter('events').toSorted().join(',')
    const isTried = this.getMode() === 'manual'
    const kept = this.getWorkflowStaticData('node')
    const isFirst = kept.types !== types
    const { events, cursor } = await readOn(this, types, isFirst || isTried ? null : kept.cursor)
    if (isTried) return shown(events.slice(-1))
    Object.assign(kept, { types, cursor })
    // What happened before the workflow was active is not news.
    return isFirst ? null : shown(events)
  }
}

const shown = (events) => (events.length > 0 ? [events.map((json) => ({ json }))] : null)

/** The last page has a cursor too: the next read goes on there. */
async function readOn(context, types, from) {
  const events = []
  let cursor = from
  let hasMore = true
  while (hasMore) {
    const query = { types, limit: 100, ...(cursor && { cursor }) }
    const page = await request(context, 'GET', '/brands/me/events', { query }).catch((error) => {
      // The workflow was off for a month: everything that is left is new.
      if (!cursor || !error.fields?.some(({ code }) => code === 'expired')) throw error
      return { data: [], nextCursor: null, hasMore: true }
    })
    events.push(...page.data)
    cursor = page.nextCursor
    hasMore = page.hasMore
  }
  return { events, cursor }
}
