/* The test of the address: this server tries first and says what is wrong, then this browser tries as a visitor's would. */
;(() => {
  const words = window.tossupWords
  const address = document.getElementById('tossup-address')
  const brand = document.getElementById('tossup-brand')
  const button = document.getElementById('tossup-test')
  const result = document.getElementById('tossup-result')

  function show(lines) {
    result.replaceChildren(
      ...lines.map(([isGood, text]) => {
        const line = document.createElement('div')
        line.className = `notice inline notice-alt notice-${isGood ? 'success' : 'error'}`
        line.style.maxWidth = '40em'
        const paragraph = document.createElement('p')
        paragraph.textContent = text
        line.append(paragraph)
        return line
      }),
    )
    window.wp.a11y.speak(lines.map(([, text]) => text).join(' '), 'polite')
  }

  async function tryFromHere(origin) {
    if (location.protocol === 'https:' && origin.startsWith('http:')) return [false, words.mixed]
    try {
      const answer = await fetch(`${origin}/api/rest/v1/categories`, { credentials: 'omit', cache: 'no-store' })
      if (answer.ok) return [true, words.reached]
    } catch {
      // Told below, as an answer of another kind is.
    }
    return [false, words.notReached]
  }

  async function test() {
    const query = new URLSearchParams({ address: address.value, brand: brand.value })
    const { origin, ok, message } = await window.wp.apiFetch({ path: `/tossup-polls/v1/check?${query}` })
    if (origin) address.value = origin
    return [[ok, message], ...(origin ? [await tryFromHere(origin)] : [])]
  }

  button.addEventListener('click', async () => {
    button.disabled = true
    result.textContent = words.testing
    try {
      show(await test())
    } catch {
      show([[false, words.noAnswer]])
    }
    button.disabled = false
  })
})()
