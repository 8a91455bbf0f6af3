const { request } = require('./request.js')

const encoded = encodeURIComponent

/** What each operation asks of the service. `at` reads a field of the node. */
const OPERATIONS = {
  create: {
    name: 'Create',
    action: 'Create a poll',
    async run(context, at) {
      const { tags, ...more } = at('more', {})
      const body = {
        title: at('title'),
        optionA: { label: at('optionA') },
        optionB: { label: at('optionB') },
        isDraft: at('isDraft', true),
        ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== '')),
        ...(tags && { tags: tags.split(',').map((tag) => tag.trim()) }),
      }
      return (await request(context, 'POST', '/brands/me/polls', { body })).data
    },
  },
  publish: {
    name: 'Publish',
    action: 'Publish a draft',
    run: async (context, at) => (await change(context, at('poll'), { isDraft: false })).data,
  },
  close: {
    name: 'Close',
    action: 'Close a poll',
    run: async (context, at) => (await change(context, at('poll'), { closesAt: new Date().toISOString() })).data,
  },
  get: {
    name: 'Get',
    action: 'Get a poll',
    run: async (context, at) => (await request(context, 'GET', `/brands/me/polls/${encoded(at('poll'))}`)).data,
  },
  getAll: {
    name: 'Get Many',
    action: 'Get many polls',
    run: (context, at) => manyPolls(context, at('status', ''), at('limit', 50)),
  },
  results: {
    name: 'Get Results',
    action: 'Get the results of a poll',
    run: async (context, at) => (await request(context, 'GET', `/brands/me/polls/${encoded(at('poll'))}/insight`)).data,
  },
  email: {
    name: 'Get Newsletter Block',
    action: 'Get the HTML of a poll for a newsletter',
    async run(context, at) {
      const source = at('source', '')
      const path = `/brands/me/polls/${encoded(at('poll'))}/email`
      return (await request(context, 'GET', path, { query: source ? { source } : {} })).data
    },
  },
}

const change = (context, poll, body) => request(context, 'PATCH', `/brands/me/polls/${encoded(poll)}`, { body })

async function manyPolls(context, status, limit) {
  const found = []
  let cursor = null
  do {
    const query = { limit: Math.min(100, limit - found.length), ...(status && { status }), ...(cursor && { cursor }) }
    const page = await request(context, 'GET', '/brands/me/polls', { query })
    found.push(...page.data)
    cursor = page.nextCursor
  } while (cursor && found.length < limit)
  return found
}

const shownFor = (...operation) => ({ displayOptions: { show: { operation } } })
const text = (displayName, name, more = {}) => ({ displayName, name, type: 'string', default: '', ...more })

exports.Tossup = class Tossup {
  description = {
    displayName: 'Tossup',
    name: 'tossup',
    icon: 'file:tossup.svg',
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Create polls with two options, publish and close them, and read their results',
    defaults: { name: 'Tossup' },
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'tossupApi', required: true }],
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        options: Object.entries(OPERATIONS).map(([value, { name, action }]) => ({ name, value, action })),
        default: 'create',
      },
      text('Question', 'title', { required: true, ...shownFor('create') }),
      text('Option A', 'optionA', { required: true, ...shownFor('create') }),
      text('Option B', 'optionB', { required: true, ...shownFor('create') }),
      {
        displayName: 'Draft',
        name: 'isDraft',
        type: 'boolean',
        default: true,
        description: 'Whether only you see the poll until it is published',
        ...shownFor('create'),
      },
      {
        displayName: 'More',
        name: 'more',
        type: 'collection',
        placeholder: 'Add field',
        default: {},
        options: [
          { displayName: 'Opens At', name: 'opensAt', type: 'dateTime', default: '' },
          { displayName: 'Closes At', name: 'closesAt', type: 'dateTime', default: '' },
          text('Slug', 'slug', { description: 'The readable name in the address' }),
          text('Tags', 'tags', { description: 'Separated by commas' }),
        ],
        ...shownFor('create'),
      },
      text('Poll', 'poll', {
        required: true,
        description: 'The slug, the short ID or the ID of the poll',
        ...shownFor('publish', 'close', 'get', 'results', 'email'),
      }),
      text('Source', 'source', {
        placeholder: 'newsletter',
        description: 'The declared name of the place, so that its votes can be told from others',
        ...shownFor('email'),
      }),
      {
        displayName: 'Status',
        name: 'status',
        type: 'options',
        options: [
          { name: 'All', value: '' },
          { name: 'Open', value: 'open' },
          { name: 'Closed', value: 'closed' },
          { name: 'Scheduled', value: 'scheduled' },
        ],
        default: '',
        ...shownFor('getAll'),
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'number',
        typeOptions: { minValue: 1 },
        default: 50,
        description: 'Max number of results to return',
        ...shownFor('getAll'),
      },
    ],
  }

  async execute() {
    const made = []
    for (const item of this.getInputData().keys()) {
      try {
        const at = (name, otherwise) => this.getNodeParameter(name, item, otherwise)
        const found = await OPERATIONS[at('operation')].run(this, at)
        for (const json of [found].flat()) made.push({ json, pairedItem: { item } })
      } catch (error) {
        if (!this.continueOnFail()) throw error
        made.push({ json: { error: error.message }, pairedItem: { item } })
      }
    }
    return [made]
  }
}
