const asked = new URLSearchParams(location.search)
const service = asked.get('service') ?? 'http://127.0.0.1:3000'
const slug = encodeURIComponent(asked.get('poll') ?? 'tea-or-coffee')
const path = `${service}/api/rest/v1/polls/${slug}`

const find = (selector) => document.querySelector(selector)
const say = (text) => {
  find('#said').textContent = text
}

// A classic script, because a page that is opened as a file may load no module.
load().catch((error) => say(`The poll cannot be shown: ${error.message}`))

async function load() {
  const response = await fetch(path)
  const { data, error } = await response.json()
  if (error) throw new Error(error.message)
  start(data)
}

function start(poll) {
  document.title = poll.title
  find('#title').textContent = poll.title
  find('.a .label').textContent = poll.optionA.label
  find('.b .label').textContent = poll.optionB.label
  find('#code').src = `${service}/p/${slug}/qr.svg?size=1024`
  find('#code').alt = `QR code: ${poll.shareUrl}`
  find('#address').textContent = poll.shareUrl.replace(/^https?:\/\//, '')

  // EventSource reconnects by itself. The first event is the state of now.
  const stream = new EventSource(`${path}/tallies/stream`)
  stream.addEventListener('tallies', ({ data }) => show(JSON.parse(data)))
  stream.onerror = () => say('No connection. Trying again …')
}

function show({ status, tallies }) {
  const { optionA, optionB, total, hidden } = tallies
  for (const [choice, share] of Object.entries(sharesOf(optionA, optionB))) {
    find(`.${choice} .share`).textContent = hidden || total === 0 ? '' : share
    // Exact: the number beside the bar is rounded.
    const part = total === 0 ? 0 : (choice === 'a' ? optionA : optionB) / total
    find(`.${choice} .bar`).style.setProperty('--part', String(part))
  }
  const votes = hidden ? 'Results when the poll closes' : `${total} ${total === 1 ? 'vote' : 'votes'}`
  say(status === 'closed' ? `${votes} · closed` : votes)
}

// As the polls of the service do: a side with votes never reads 0%, and both read the same only where the counts are the same.
// Where rounding would say so, both are bounds: <1% and >99%, or <50% and >50%.
function sharesOf(a, b) {
  const total = a + b
  const exact = total && (100 * Math.min(a, b)) / total
  const isRounded = exact % 50 > 0
  const digits = isRounded && (total >= 1000 || Math.round(exact) === 50) ? 1 : 0
  const rounded = Number(exact.toFixed(digits))
  const isBound = isRounded && rounded % 50 === 0
  const least = rounded || (isBound ? 10 ** -digits : 0)
  const write = (bound, percent) => `${isBound ? bound : ''}${percent.toFixed(least === 50 ? 0 : digits)}%`
  const [less, more] = [write('<', least), write('>', total && 100 - least)]
  return a < b ? { a: less, b: more } : { a: more, b: less }
}
