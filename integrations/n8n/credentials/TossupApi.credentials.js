/** The key of an app with the scopes `manage` and `analytics`. It is exchanged for an access token, which n8n renews after a 401. */
exports.TossupApi = class TossupApi {
  name = 'tossupApi'
  displayName = 'Tossup API'
  icon = 'file:../nodes/Tossup/tossup.svg'
  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-tossup'
  properties = [
    { displayName: 'Access Token', name: 'accessToken', type: 'hidden', typeOptions: { expirable: true }, default: '' },
    {
      displayName: 'Address',
      name: 'url',
      type: 'string',
      default: '',
      placeholder: 'https://polls.example.com',
      description: 'The address of your Tossup service',
      required: true,
    },
    { displayName: 'API Key ID', name: 'keyId', type: 'string', default: '', placeholder: 'tai_…', required: true },
    {
      displayName: 'API Key Secret',
      name: 'keySecret',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
  ]

  authenticate = { type: 'generic', properties: { headers: { Authorization: '=Bearer {{$credentials.accessToken}}' } } }
  test = { request: { baseURL: '={{$credentials.url}}', url: '/api/rest/v1/brands/me' } }

  async preAuthentication({ url, keyId, keySecret }) {
    const { data } = await this.helpers.httpRequest({
      method: 'POST',
      url: `${url.replace(/\/+$/, '')}/api/rest/v1/auth/token`,
      headers: { 'X-API-Key-ID': keyId, 'X-API-Key-Secret': keySecret },
      body: { externalDeviceId: 'n8n' },
      json: true,
    })
    return { accessToken: data.accessToken }
  }
}
