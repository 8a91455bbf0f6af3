// Runs on the pages of the reference: sends the requests of the forms to the server of the page.

const DEVICE = 'tossup-docs-device'
const MOST_SHOWN = 20_000
const STREAM_MS = 3_000
let token = ''

/** A browser may refuse storage: then the device lasts as long as the page. */
function deviceId() {
  const made = crypto.randomUUID()
  try {
    const kept = sessionStorage.getItem(DEVICE) ?? made
    sessionStorage.setItem(DEVICE, kept)
    return kept
  } catch {
    return made
  }
}

function requestOf(form) {
  const { method, path } = form.dataset
  const headers = {}
  const query = new URLSearchParams()
  let address = path
  for (const { name, value, dataset } of form.querySelectorAll('input')) {
    if (value === '') continue
    if (dataset.place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value))
    else if (dataset.place === 'query') query.append(name, value)
    else headers[name] = dataset.place === 'token' ? `Bearer ${value}` : value
  }
  const body = form.elements.body?.value
  if (body) headers['Content-Type'] = 'application/json'
  const search = query.size > 0 ? `?${query}` : ''
  return { url: address + search, options: { method, headers, body: body || undefined, credentials: 'omit' } }
}

/** A live stream never ends: what came within a few seconds is shown. */
async function bodyOf(response) {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream) return response.text()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const stop = setTimeout(() => reader.cancel(), STREAM_MS)
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  clearTimeout(stop)
  return text
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function shown(outcome, title, text) {
  const heading = document.createElement('p')
  heading.textContent = title
  const code = document.createElement('code')
  code.textContent = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  const pre = document.createElement('pre')
  pre.tabIndex = 0
  pre.append(code)
  outcome.replaceChildren(heading, ...(text === '' ? [] : [pre]))
}

async function send(form, outcome) {
  const { url, options } = requestOf(form)
  const started = performance.now()
  const response = await fetch(url, options)
  const text = await bodyOf(response)
  const ms = Math.round(performance.now() - started)
  const type = response.headers.get('content-type') ?? ''
  const isText = /json|text|xml|javascript/.test(type)
  // The key of a write that was made is used up: with it, another body would be refused.
  if (response.ok) renewKey(form)
  shown(outcome, `${response.status} ${response.statusText} · ${ms} ms`, isText ? readable(text) : '')
}

function renewKey(form) {
  for (const input of form.querySelectorAll('[name="X-Service-Idempotency-Key"]')) input.value = crypto.randomUUID()
}

for (const part of document.querySelectorAll('details.try')) {
  part.hidden = false
  const form = part.querySelector('form')
  const outcome = part.querySelector('.outcome')
  const button = form.querySelector('button')
  for (const input of form.querySelectorAll('[data-place="device"]')) input.value = deviceId()
  renewKey(form)
  // A token that was given to one form serves the others, until the page is left.
  part.addEventListener('toggle', () => {
    for (const input of form.querySelectorAll('[data-place="token"]')) input.value ||= token
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    token = form.querySelector('[data-place="token"]')?.value || token
    button.disabled = true
    try {
      await send(form, outcome)
    } catch (error) {
      shown(outcome, `The request failed: ${error.message}`, '')
    } finally {
      button.disabled = false
    }
  })
}
