const { createHmac, timingSafeEqual } = require('node:crypto')
const { eventsField, request } = require('./request.js')

const LATEST_SECONDS = 300

/** Receives each event from the service, at once. Activating the workflow creates the webhook, deactivating it deletes it. */
exports.TossupTrigger = class TossupTrigger {
  description = {
    displayName: 'Tossup Trigger',
    name: 'tossupTrigger',
    icon: 'file:tossup.svg',
    group: ['trigger'],
    version: 1,
    description: 'Starts the workflow when something happens to a poll',
    defaults: { name: 'Tossup Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'tossupApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [eventsField],
  }

  webhookMethods = {
    default: {
      async checkExists() {
        const kept = this.getWorkflowStaticData('node')
        if (!kept.id || !kept.secret) return false
        const webhook = await request(this, 'GET', `/brands/me/webhooks/${kept.id}`).catch((error) => {
          if (error.code === 'NOT_FOUND') return null
          throw error
        })
        return webhook?.data.status === 'ACTIVE' && webhook.data.url === this.getNodeWebhookUrl('default')
      },

      async create() {
        const body = {
          url: this.getNodeWebhookUrl('default'),
          events: this.getNodeParameter('events'),
          description: 'n8n',
        }
        const { data } = await request(this, 'POST', '/brands/me/webhooks', { body })
        Object.assign(this.getWorkflowStaticData('node'), { id: data.id, secret: data.secret })
        return true
      },

      async delete() {
        const kept = this.getWorkflowStaticData('node')
        if (kept.id) {
          await request(this, 'DELETE', `/brands/me/webhooks/${kept.id}`).catch((error) => {
            if (error.code !== 'NOT_FOUND') throw error
          })
        }
        delete kept.id
        delete kept.secret
        return true
      },
    },
  }

  async webhook() {
    const { rawBody } = this.getRequestObject()
    const headers = this.getHeaderData()
    const { secret } = this.getWorkflowStaticData('node')
    if (!secret || !isSigned({ headers, rawBody, secret })) {
      this.getResponseObject().status(401).send('The signature is not of this webhook').end()
      return { noWebhookResponse: true }
    }
    return { workflowData: [[{ json: { id: headers['webhook-id'], ...this.getBodyData() } }]] }
  }
}

/** Standard Webhooks: the header may have several signatures, while a secret is rotated. */
function isSigned({ headers, rawBody, secret }) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= LATEST_SECONDS)) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${at}.${rawBody}`).digest()
  return given.split(' ').some((each) => {
    const [version, text = ''] = each.split(',')
    const signature = Buffer.from(text, 'base64')
    return version === 'v1' && signature.length === digest.length && timingSafeEqual(signature, digest)
  })
}
